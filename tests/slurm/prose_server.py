"""A model of the cluster's own: answers each call of its OpenAI API with prose, after three of them
dies once, and answers all when it is started again. Usage: prose_server.py PORT MARK
MARK: a file that says that it has died."""

import http.server
import os
import sys
import threading

port, mark = int(sys.argv[1]), sys.argv[2]
answers_left = threading.Semaphore(3)
REPLY = (
    'data: {"id":"r","model":"m","choices":[{"delta":{"content":"I would tile it."},'
    '"finish_reason":"stop"}]}\n\n'
    'data: {"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":40}}\n\n'
    "data: [DONE]\n\n"
).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer("application/json", b'{"object":"list","data":[{"id":"m"}]}')

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if not os.path.exists(mark) and not answers_left.acquire(blocking=False):
            open(mark, "w").close()
            os._exit(9)
        self.answer("text/event-stream", REPLY)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("0.0.0.0", port), Handler).serve_forever()
