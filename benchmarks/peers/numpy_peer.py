# SPDX-License-Identifier: Apache-2.0
"""Attention as it is written down, a head at a time, with the products by OpenBLAS."""
import ctypes
import glob
import os

import numpy

from prepared import Prepared


def core_name():
    """Which of its kernels OpenBLAS has chosen for this processor."""
    folder = os.path.join(os.path.dirname(numpy.__file__), os.pardir, "numpy.libs")
    for path in glob.glob(os.path.join(folder, "*openblas*")):
        function = getattr(ctypes.CDLL(path), "scipy_openblas_get_corename64_", None)
        if function:
            function.restype = ctypes.c_char_p
            return function().decode()
    return "unknown"


def prepare(_, problem):
    problem.refuse("no backward pass", problem.backward)
    problem.refuse("asked in f32 only", problem.dtype != "f32")
    out = numpy.empty((problem.batch, problem.heads, problem.queries, problem.value_dim), numpy.float32)
    allowed, scale = problem.allowed(), numpy.float32(problem.scale)
    hidden = None if allowed is None else ~allowed

    def attention():
        for batch in range(problem.batch):
            for head in range(problem.heads):
                kv_head = head // (problem.heads // problem.kv_heads)
                scores = problem.query[batch, head] @ problem.key[batch, kv_head].T
                scores *= scale
                if hidden is not None:
                    scores[hidden] = -numpy.inf
                scores -= scores.max(axis=1, keepdims=True)
                numpy.exp(scores, out=scores)
                total = scores.sum(axis=1, keepdims=True)
                numpy.matmul(scores, problem.value[batch, kv_head], out=out[batch, head])
                out[batch, head] /= total

    notes = [f"numpy {numpy.__version__}, OPENBLAS_NUM_THREADS={os.environ.get('OPENBLAS_NUM_THREADS', 'not set')}, "
             f"OpenBLAS core {core_name()}"]
    return Prepared(attention, lambda _: out, notes)
