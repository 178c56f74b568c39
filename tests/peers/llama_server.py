"""llama.cpp's own server, with its OpenAI-compatible API, on a free port of loopback. Prints
"listening URL" once it serves, and serves until its input ends. Usage: llama_server.py MODEL.gguf"""

import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = 4096
params.n_parallel = 2
params.hostnames = ["127.0.0.1"]
params.port = 0
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.warmup = False
server = xllamacpp.Server(params)
print("listening", server.listening_address, flush=True)
sys.stdin.read()
