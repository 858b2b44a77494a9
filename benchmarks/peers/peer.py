# SPDX-License-Identifier: Apache-2.0
"""Peers of attestone bench: other people's attention, timed call by call as lines of JSON ask for it (docs/bench.md).

`peer.py list` says who is there; `peer.py NAME` reads one problem, gets ready, and then times a call for each line.
"""
import importlib
import importlib.metadata
import json
import sys

from memory import first_call_bytes
from problem import Problem, Refused

# name: the package that it needs, its module here, what it is.
PEERS = {
    "torch_flash": ("torch", "torch_peer", "scaled_dot_product_attention, its flash backend"),
    "torch_math": ("torch", "torch_peer", "scaled_dot_product_attention, its unfused backend"),
    "onnxruntime": ("onnxruntime", "onnxruntime_peer", "a graph of MatMul, Softmax and MatMul, which it may fuse itself"),
    "onnxruntime_fused": ("onnxruntime", "onnxruntime_peer", "its operator MultiHeadAttention"),
    "openvino": ("openvino", "openvino_peer", "its operation ScaledDotProductAttention"),
    "jax": ("jax", "jax_peer", "jax.nn.dot_product_attention, compiled"),
    "ggml": ("libggml-python", "ggml_peer", "ggml_flash_attn_ext of llama.cpp, from a wheel compiled for AVX2"),
    "numpy": ("numpy", "numpy_peer", "unfused over OpenBLAS"),
}


def listed(name):
    package, _, meaning = PEERS[name]
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return {"name": name, "absent": f"no package {package}; benchmarks/peers/requirements.txt names it"}
    return {"name": name, "version": f"{package} {version}", "meaning": meaning}


def say(answer):
    print(json.dumps(answer), flush=True)


def serve(name):
    """Gets ready for the problem of the first line; each line more is a call."""
    request = json.loads(sys.stdin.readline())
    try:
        problem = Problem(request)
        prepared = importlib.import_module(PEERS[name][1]).prepare(name, problem)
        memory, _ = first_call_bytes(prepared.call)
        error = problem.relative_error(prepared.result())
    except Refused as why:
        say({"refused": str(why)})
        return
    if not error < 0.1:
        say({"refused": f"computes something else: relative error {error:.2g}"})
        return
    say({"ready": True, "memory_bytes": memory, "relative_error": error, "notes": prepared.notes})
    for _ in sys.stdin:
        say({"seconds": prepared.call()})


if __name__ == "__main__":
    if sys.argv[1:] == ["list"]:
        say({"protocol": "attestone.peers/1", "peers": [listed(name) for name in PEERS]})
    elif len(sys.argv) == 2 and sys.argv[1] in PEERS:
        serve(sys.argv[1])
    else:
        sys.exit(f"usage: peer.py list | {' | '.join(PEERS)}")
