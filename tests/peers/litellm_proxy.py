"""LiteLLM's proxy with the canned answers of litellm_config.yaml, on a free port of loopback. Prints
"listening URL" before it serves, and serves until its input ends."""

import os
import pathlib
import socket
import sys
import threading

config = pathlib.Path(__file__).with_name("litellm_config.yaml")
os.environ.update(
    CONFIG_FILE_PATH=str(config),
    LITELLM_LOG="ERROR",
    LITELLM_LOCAL_MODEL_COST_MAP="True",
    LITELLM_MASTER_KEY="sk-peers-test",
)

import uvicorn  # noqa: E402
from litellm.proxy.proxy_server import app  # noqa: E402

listener = socket.create_server(("127.0.0.1", 0))
server = uvicorn.Server(uvicorn.Config(app, log_level="error"))


def stop_with_input():
    sys.stdin.read()
    server.should_exit = True


threading.Thread(target=stop_with_input, daemon=True).start()
print(f"listening http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
server.run(sockets=[listener])
