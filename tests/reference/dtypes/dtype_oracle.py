# SPDX-License-Identifier: Apache-2.0
"""Codes by numpy (f16) and ml_dtypes (the others) for dtype_python_test.cpp: <format>.numbers, <format>.codes.

ml_dtypes rounds a double to float first, so the numbers are floats wherever it is asked. It is not asked about e8m0,
of which it rounds subnormal floats to the wrong neighbour.
"""
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

RANDOM = 100_000
FORMATS = {
    "f16": (np.float16, np.float64),
    "bf16": (ml_dtypes.bfloat16, np.float32),
    "e4m3": (ml_dtypes.float8_e4m3fn, np.float32),
    "e4m3fnuz": (ml_dtypes.float8_e4m3fnuz, np.float32),
    "e5m2": (ml_dtypes.float8_e5m2, np.float32),
    "e5m2fnuz": (ml_dtypes.float8_e5m2fnuz, np.float32),
    "e2m1": (ml_dtypes.float4_e2m1fn, np.float32),
    "e2m3": (ml_dtypes.float6_e2m3fn, np.float32),
    "e3m2": (ml_dtypes.float6_e3m2fn, np.float32),
}


def critical(kind, source):
    """Every number of the format, the middle to the next, and the neighbours of both in the source format."""
    bits = np.dtype(kind).itemsize * 8
    codes = np.arange(2**bits).astype(f"u{bits // 8}").view(kind)
    numbers = np.unique(codes[np.isfinite(codes)].astype(source))
    middles = (numbers[:-1].astype(np.float64) + numbers[1:]) / 2
    places = np.concatenate([numbers, middles.astype(source)])
    return np.concatenate([np.nextafter(places, source(-np.inf)), places, np.nextafter(places, source(np.inf))])


def random(source):
    """Any bits but NaN: most are beyond the range of the small formats, so half are scaled to it."""
    dtype = np.dtype(source)
    chance = np.random.default_rng(7)
    anything = np.frombuffer(chance.bytes(RANDOM // 2 * dtype.itemsize), dtype)
    near = chance.standard_normal(RANDOM // 2).astype(source) * source(2.0) ** chance.integers(-20, 17, RANDOM // 2)
    both = np.concatenate([anything, near.astype(source)])
    return both[~np.isnan(both)]


def main(folder):
    tensors = {}
    for name, (kind, source) in FORMATS.items():
        with np.errstate(all="ignore"):  # overflow and NaN are what is asked about
            numbers = np.concatenate([critical(kind, source), random(source)])
            codes = numbers.astype(kind)
        tensors[f"{name}.numbers"] = numbers.astype(np.float64)
        tensors[f"{name}.codes"] = codes.view(f"u{codes.itemsize}").astype(np.uint16)
    save_file(tensors, folder / "codes.safetensors")


main(Path(sys.argv[1]))
