# SPDX-License-Identifier: Apache-2.0
"""ggml's flash attention, as llama.cpp calls it on the CPU, over ctypes: f32 queries, f32 K and V."""
import ctypes
import importlib.metadata
import os

import libggml
import numpy

from prepared import Prepared

F32, F16 = 0, 1
pointer, integer, size, real = ctypes.c_void_p, ctypes.c_int64, ctypes.c_size_t, ctypes.c_float


class InitParams(ctypes.Structure):
    _fields_ = [("mem_size", size), ("mem_buffer", pointer), ("no_alloc", ctypes.c_bool)]


def library(name, functions):
    folder = os.path.join(os.path.dirname(libggml.__file__), "lib64")
    loaded = ctypes.CDLL(os.path.join(folder, name), mode=ctypes.RTLD_GLOBAL)
    for function, (result, arguments) in functions.items():
        getattr(loaded, function).restype, getattr(loaded, function).argtypes = result, arguments
    return loaded


def prepare(_, problem):
    problem.refuse("no backward pass", problem.backward)
    problem.refuse("asked in f32 only", problem.dtype != "f32")
    base = library("libggml-base.so", {
        "ggml_init": (pointer, [InitParams]),
        "ggml_new_tensor_4d": (pointer, [pointer, ctypes.c_int, integer, integer, integer, integer]),
        "ggml_get_data": (pointer, [pointer]),
        "ggml_flash_attn_ext": (pointer, [pointer] * 5 + [real] * 3),
        "ggml_flash_attn_ext_set_prec": (None, [pointer, ctypes.c_int]),
        "ggml_new_graph": (pointer, [pointer]),
        "ggml_build_forward_expand": (None, [pointer, pointer]),
        "ggml_nbytes": (size, [pointer])})
    cpu = library("libggml-cpu.so", {
        "ggml_backend_cpu_init": (pointer, []),
        "ggml_backend_cpu_set_n_threads": (None, [pointer, ctypes.c_int])})
    compute = base.ggml_backend_graph_compute
    compute.restype, compute.argtypes = ctypes.c_int, [pointer, pointer]

    arrays = [problem.query, problem.key, problem.value]
    room = sum(array.nbytes for array in arrays) + 4 * problem.batch * problem.heads * problem.queries * problem.value_dim
    room += 4 * problem.queries * problem.keys + (64 << 20)
    context = base.ggml_init(InitParams(room, None, False))

    def tensor(array, kind=F32):
        batch, heads, tokens, channels = array.shape
        made = base.ggml_new_tensor_4d(context, kind, channels, tokens, heads, batch)
        ctypes.memmove(base.ggml_get_data(made), array.ctypes.data, array.nbytes)
        return made

    allowed = problem.allowed()
    mask = None
    if allowed is not None:
        dense = numpy.where(allowed, 0, -numpy.inf).astype(numpy.float16)
        mask = tensor(numpy.ascontiguousarray(dense)[None, None], F16)
    out = base.ggml_flash_attn_ext(context, *(tensor(array) for array in arrays), mask, problem.scale, 0, 0)
    base.ggml_flash_attn_ext_set_prec(out, 10)
    graph = base.ggml_new_graph(context)
    base.ggml_build_forward_expand(graph, out)
    backend = cpu.ggml_backend_cpu_init()
    cpu.ggml_backend_cpu_set_n_threads(backend, problem.threads)

    def work():
        status = compute(backend, graph)
        if status != 0:
            raise RuntimeError(f"ggml answered status {status}")

    def result(_):  # [batch, queries, heads, channels]
        shape = (problem.batch, problem.queries, problem.heads, problem.value_dim)
        flat = (ctypes.c_float * int(numpy.prod(shape))).from_address(base.ggml_get_data(out))
        return numpy.ctypeslib.as_array(flat).reshape(shape).transpose(0, 2, 1, 3)

    notes = [f"ggml {importlib.metadata.version('libggml-python')} on {problem.threads} threads, compiled for AVX2"]
    return Prepared(work, result, notes)
