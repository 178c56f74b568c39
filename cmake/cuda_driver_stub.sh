#!/usr/bin/env bash
# Makes LIB/stubs/libcuda.so in a CUDA home that came as wheels. Candidates link with -lcuda, and the
# wheels, unlike the full toolkit, bring no stub of the driver's library. Like NVIDIA's, this one is
# only linked against: its name inside is libcuda.so.1, so that at run time the driver's is loaded.
# usage: cuda_driver_stub.sh CUDA_HOME
set -euo pipefail
cuda_home=$1
stubs=$cuda_home/lib/stubs

# Names as written, and as cuda.h's macros turn them into versioned ones (cuMemAlloc_v2, ..._ptsz).
driver_functions() {
  local header=$cuda_home/include/cuda.h
  {
    cat "$header"
    gcc -E -I "$cuda_home/include" "$header"
    gcc -E -I "$cuda_home/include" -DCUDA_API_PER_THREAD_DEFAULT_STREAM "$header"
  } | grep -zoP '\bCUresult\s+(CUDAAPI\s+)?\Kcu[A-Z]\w*(?=\s*\()' | tr '\0' '\n' | sort -u
}

mkdir -p "$stubs"
# 34 is CUDA_ERROR_STUB_LIBRARY: what NVIDIA's stub answers too.
driver_functions | sed 's/.*/int &(void) { return 34; }/' |
  gcc -x c -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$stubs/libcuda.so" -
# nvcc looks in lib64; the wheels have lib.
ln -sfn lib "$cuda_home/lib64"
ln -sfn libcudart.so.13 "$cuda_home/lib/libcudart.so"
