# SPDX-License-Identifier: Apache-2.0
"""Writes rows, code numbers and shared scales as published attention kernels compute them, as an oracle.

`quantizer_oracle.py FOLDER SEED` writes Q.S.rows, Q.S.numbers and Q.S.scales, for each quantizer Q and sharing S,
to FOLDER/codes.safetensors. Each operation is float32 and rounds once (IEEE 754).
"""
import os
import sys
from functools import partial

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

ROWS, CHANNELS = 300, 72  # the last group of sixteen or thirty-two channels is short
E4M3, E2M1 = ml_dtypes.float8_e4m3fn, ml_dtypes.float4_e2m1fn


def group_labels(sharing):
    """For each element, the number of the group whose scale it uses."""
    row, channel = np.indices((ROWS, CHANNELS))
    return {
        "tensor": 0 * row, "token": row, "block64": row // 64, "block128": row // 128, "channel": channel,
        "query_thread32": row // 32 * 8 + row % 8, "query_thread16": row // 16 * 8 + row % 8,
        "key_thread64": row // 64 * 4 + row % 8 // 2, "key_thread128": row // 128 * 4 + row % 8 // 2,
        "sixteen": row * -(-CHANNELS // 16) + channel // 16, "thirty_two": row * -(-CHANNELS // 32) + channel // 32,
        "sixteen_rows": row // 16 * CHANNELS + channel,
    }[sharing]


def round_to(element, values):
    """Nearest-even in the element format, saturating at its largest number; NaN stays NaN."""
    limit = np.float32(ml_dtypes.finfo(element).max)
    return np.clip(values, -limit, limit).astype(element).astype(np.float32)


def whole_numbers(values, limit):
    """Saturates whole floats to a two's complement range; NaN and negative zero become zero."""
    return np.nan_to_num(np.clip(values, -limit - 1, limit), nan=0.0) + np.float32(0)


def add_half_and_cut(rows, largest, limit, added):
    """Triton's per-block kernel (nothing added to the scale) and per-thread kernels (1e-7 added)."""
    scales = largest / np.float32(limit) + np.float32(added)
    quotients = rows / scales
    return whole_numbers(np.trunc(quotients + np.where(quotients >= 0, *np.float32([0.5, -0.5]))), limit), scales


def int8_cuda(rows, largest):
    """QuantInt8Kernel of fused.cu."""
    largest = np.maximum(np.float32(1e-7), largest)
    return whole_numbers(np.rint(rows * (np.float32(127) / largest)), 127), largest / np.float32(127)


def e4m3(rows, largest, scale_max):
    """MeanScaleKernel of fused.cu, without the mean."""
    return round_to(E4M3, rows * (np.float32(scale_max) / largest)), largest / np.float32(scale_max)


def nvfp4(rows, largest):
    """scaled_fp4_quant_kernel of SageAttention3; a zero scale keeps each zero's sign."""
    scales = round_to(E4M3, largest / np.float32(6))
    inverses = np.where(scales == 0, np.float32(0), np.float32(1) / scales)
    return round_to(E2M1, rows * inverses), scales


def microscaling(rows, largest, element, largest_exponent):
    """OCP Microscaling v1.0, section 6.3."""
    exponents = np.clip(np.frexp(largest)[1] - 1 - largest_exponent, -127, 127)
    scales = np.ldexp(np.float32(1), np.where(largest == 0, -127, exponents))
    return round_to(element, rows / scales), scales


INT8 = np.arange(128, dtype=np.float32)
FLOAT8 = np.arange(127, dtype=np.uint8).view(E4M3).astype(np.float32)
FLOAT4 = np.arange(8, dtype=np.uint8).view(E2M1).astype(np.float32)
QUANTIZERS = {  # name: (sharings, code numbers, the number that a group's largest element is to become, function)
    "int8_block": (("block64", "block128", "tensor"), INT8, 127, partial(add_half_and_cut, limit=127, added=0)),
    "int8_thread": (("query_thread32", "query_thread16", "key_thread64", "key_thread128"), INT8, 127,
                    partial(add_half_and_cut, limit=127, added=1e-7)),
    "int4_thread": (("query_thread32", "key_thread64"), INT8[:8], 7, partial(add_half_and_cut, limit=7, added=1e-7)),
    "int8_cuda": (("block64", "block128", "token"), INT8, 127, int8_cuda),
    "e4m3": (("channel",), FLOAT8, 448, partial(e4m3, scale_max=448)),
    "e4m3_2.25": (("channel",), FLOAT8, 2.25, partial(e4m3, scale_max=2.25)),
    "nvfp4": (("sixteen", "sixteen_rows"), FLOAT4, 6, nvfp4),
    "mxfp4": (("thirty_two",), FLOAT4, 6, partial(microscaling, element=E2M1, largest_exponent=2)),
    "mxfp8": (("thirty_two",), FLOAT8, 448, partial(microscaling, element=E4M3, largest_exponent=8)),
}


def plain_rows(generator):
    """Normal rows of differing magnitudes, with some outlier channels and constant rows."""
    rows = generator.normal(size=(ROWS, CHANNELS)) * np.exp2(generator.uniform(-5, 5, size=(ROWS, 1)))
    rows[:, generator.choice(CHANNELS, 3, replace=False)] *= 60
    rows[::19] = rows[::19, :1]
    return rows.astype(np.float32)


def step_values(plain, generator, storage, code_numbers, limit):
    """A group whose largest element is limit steps: ties, their storage format's neighbours, and clipped plain ones."""
    steps = np.float32([1 / 4, 1, 2, 8, 64, 512, 11 / 8, 13 / 8, 15 / 8])
    step = generator.choice(steps[(steps * limit).astype(storage).astype(np.float32) == steps * limit])
    ties = (code_numbers[1:] + code_numbers[:-1]) / 2
    bits = (generator.choice(ties[ties < limit], plain.size) * step).astype(storage).view(np.int16)
    near = (bits + generator.choice(np.array([-1, 0, 0, 1], dtype=np.int16), plain.size)).view(storage)
    signed = near.astype(np.float32) * generator.choice([-1, 1], plain.size)
    values = np.clip(np.where(generator.random(plain.size) < 0.8, signed, plain), -limit * step, limit * step)
    values[generator.integers(plain.size)] = limit * step * generator.choice([-1, 1])
    return values


def group_values(kind, plain, generator, storage, code_numbers, limit):
    """The elements of one group; tiny and subnormal ones are as small as the storage format allows."""
    size, smallest = plain.size, np.float32(ml_dtypes.finfo(storage).smallest_subnormal)
    return {
        "steps": lambda: step_values(plain, generator, storage, code_numbers, limit), "plain": lambda: plain,
        "halves": lambda: generator.normal() * generator.choice([-1, -0.5, 0.5, 1], size),
        "single": lambda: generator.permutation(np.eye(1, size)[0]) * generator.normal() ** 7,
        "tiny": lambda: generator.normal(size=size) * max(1e-9, 16 * smallest),
        "subnormal": lambda: generator.integers(-127, 128, size) * smallest, "zero": lambda: np.zeros(size),
        "large": lambda: generator.uniform(5.5e4, 6.5e4, size) * generator.choice([-1, 1, 0.01], size),
    }[kind]()


def draw_rows(labels, generator, storage, code_numbers, limit):
    """Input rows that the storage format holds exactly, each group of one kind."""
    rows, others = plain_rows(generator), ["plain", "single", "tiny", "subnormal", "large", "halves", "steps"]
    kinds = np.resize(["steps", "zero", *generator.permutation(others)], labels.max() + 1)
    for label, kind in enumerate(generator.permutation(kinds)):
        rows[labels == label] = group_values(kind, rows[labels == label], generator, storage, code_numbers, limit)
    return rows.astype(storage).astype(np.float32)


def main(folder, seed):
    generator, tensors = np.random.default_rng(int(seed)), {}
    cases = [(name, sharing, *rest) for name, (sharings, *rest) in QUANTIZERS.items() for sharing in sharings]
    storages = generator.permutation(np.resize(["float16", "bfloat16"], len(cases)))
    for (name, sharing, code_numbers, limit, quantize), storage in zip(cases, storages):
        labels, largest = group_labels(sharing), np.zeros(ROWS * CHANNELS, dtype=np.float32)
        rows = draw_rows(labels, generator, np.dtype(storage), code_numbers, limit)
        np.maximum.at(largest, labels, np.abs(rows))
        for part, values in zip(("rows", "numbers", "scales"), (rows, *quantize(rows, largest[labels]))):
            tensors[f"{name}.{sharing}.{part}"] = np.ascontiguousarray(values)
    os.makedirs(folder, exist_ok=True)
    save_file(tensors, f"{folder}/codes.safetensors")


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main(*sys.argv[1:])
