# SPDX-License-Identifier: Apache-2.0
"""Writes rows and what SageAttention 2.2's mean-subtracting preprocessing makes of them, as an oracle.

`smoothing_oracle.py FOLDER SEED` writes KIND.N.rows, numbers, scales, mean, lengths and bf16 (1 or 0) to
FOLDER/smoothing.safetensors. Each operation is float32 and rounds once (IEEE 754); sums and means are exact until then.
"""
import math
import os
import sys
from fractions import Fraction

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

CASES = 24
BLOCK_ROWS = 64
TILE_ROWS = 16
SCALE_MAX = np.float32(448)
E4M3 = ml_dtypes.float8_e4m3fn
E4M3_NUMBERS = np.arange(127, dtype=np.uint8).view(E4M3).astype(np.float64)


def round_once(exact, storage):
    """The number of the storage format nearest to a fraction, ties to even."""
    limits = ml_dtypes.finfo(storage)
    exponent = max(math.frexp(float(exact))[1] - 1, int(limits.minexp))
    step = Fraction(2) ** (exponent - int(limits.nmant))
    return math.copysign(float(round(exact / step) * step), float(exact))


def mean_of_rows(rows, count, storage):
    """Each channel's sum over count, in the storage format."""
    sums = [sum(int(math.ldexp(value, 149)) for value in channel) for channel in rows.T.tolist()]
    return np.float32([round_once(Fraction(total, count << 149), storage) for total in sums])


def smooth_e4m3(rows, lengths, storage):
    """per_channel_fp8 with smooth_v; zeros that fill the last tile of sixteen rows count in mean and extremes."""
    padded = np.pad(rows, ((0, -len(rows) % TILE_ROWS), (0, 0)))
    mean = mean_of_rows(padded, len(padded), np.float32)
    largest = np.maximum(np.abs(padded.max(axis=0) - mean), np.abs(padded.min(axis=0) - mean))
    products = (rows - mean) * (SCALE_MAX / largest)
    codes = np.clip(products, -SCALE_MAX, SCALE_MAX).astype(E4M3)
    numbers = np.where(largest == 0, np.float32(0), codes.astype(np.float32))
    return numbers, np.broadcast_to(largest / SCALE_MAX, rows.shape), mean


def smooth_float16(rows, lengths, storage):
    """sub_mean: the difference is rounded to the storage format, then to float16; either may overflow to infinity."""
    mean = mean_of_rows(rows, len(rows), storage)
    differences = (rows - mean).astype(storage).astype(np.float32)
    return differences.astype(np.float16).astype(np.float32), np.ones_like(rows), mean


def smooth_int8(rows, lengths, storage):
    """sageattn_varlen's K: one mean for all sequences, blocks that start anew in each; not-a-number becomes zero."""
    mean = mean_of_rows(rows, len(rows), storage)
    differences = (rows - mean).astype(storage).astype(np.float32)
    scales = np.empty_like(rows)
    for start, length in zip(np.cumsum(lengths) - lengths, lengths):
        for first in range(start, start + length, BLOCK_ROWS):
            block = slice(first, min(first + BLOCK_ROWS, start + length))
            scales[block] = np.abs(differences[block]).max() / np.float32(127)
    quotients = differences / scales
    halves = np.where(quotients >= 0, np.float32(0.5), np.float32(-0.5))
    numbers = np.nan_to_num(np.clip(np.trunc(quotients + halves), -128, 127), nan=0.0) + np.float32(0)
    return numbers, scales, mean


def tie_values(generator, rows, kind):
    """Pairs of a value halfway between two codes (where the scale is 1) and its negative, so that the mean is zero."""
    if kind == "varlen":
        ties, limit = np.arange(127) + 0.5, 127
    else:
        ties, limit = (E4M3_NUMBERS[1:] + E4M3_NUMBERS[:-1]) / 2, 448
    values = generator.choice(ties, rows // 2)
    values[generator.random(rows // 2) < 0.1] = limit
    pairs = np.stack([values, -values], axis=1).ravel() * generator.choice([1, -1])
    return np.append(pairs, np.zeros(rows % 2))


def channel_values(generator, rows, content, kind, storage):
    """The elements of one channel before the storage format rounds them; large ones stay under the source's 1e6."""
    smallest = float(ml_dtypes.finfo(storage).smallest_subnormal)
    greatest = 9e5 if storage == ml_dtypes.bfloat16 and kind != "f16" else 6e4
    sign, noise = generator.choice([-1, 1]), generator.normal(size=rows)
    return {
        "plain": lambda: noise * np.exp2(generator.uniform(-5, 5)),
        "offset": lambda: noise * generator.choice([0.25, 1, 8]) + sign * generator.uniform(20, 3000),
        "outliers": lambda: np.clip(noise ** 7, -3e4, 3e4),
        "zero": lambda: np.zeros(rows),
        "constant": lambda: np.full(rows, noise[0] * 50),
        "tiny": lambda: noise * max(1e-9, 16 * smallest),
        "subnormal": lambda: generator.integers(-127, 128, rows) * smallest,
        "subnormal_offset": lambda: generator.integers(90, 128, rows) * (sign * smallest),
        "large": lambda: sign * generator.uniform(0, greatest, rows),
        "large_offset": lambda: sign * (greatest - np.abs(noise) * greatest / 500),
        "both_signs": lambda: generator.uniform(greatest / 2, greatest, rows) * generator.choice([-1, 1], rows),
    }[content]()


CONTENTS = ("plain", "offset", "outliers", "ties", "zero", "constant", "tiny", "subnormal", "subnormal_offset", "large",
            "large_offset", "both_signs")


def draw_rows(generator, case, rows, kind, storage):
    """Rows that the storage format holds exactly, of one to three contents; float16 sums of both signs may overflow."""
    contents = [content for content in CONTENTS if (kind, content) != ("varlen", "both_signs")]
    palette = [contents[case % len(contents)], *generator.choice(contents, generator.integers(3))]
    columns = []
    for content in generator.choice(palette, generator.integers(1, 13)):
        if content == "ties":
            columns.append(tie_values(generator, rows, kind))
        else:
            columns.append(channel_values(generator, rows, content, kind, storage))
    return np.stack(columns, axis=1).astype(storage).astype(np.float32)


def draw_lengths(generator, case, kind):
    """Lengths of the packed sequences, at least one row in all; every second case has lengths at a block's edge."""
    if kind != "varlen":
        edges = [1, 15, 16, 16, 17, 32, 48, 63, 64, 64]
        return np.array([generator.choice(edges) if case // 2 % 2 else generator.integers(1, 71)])
    count = generator.integers(1, 5)
    edges = [0, 1, 63, 64, 65, 127, 128, 129, 150]
    lengths = generator.choice(edges, count) if case // 2 % 2 else generator.integers(0, 151, count)
    return lengths if lengths.any() else lengths + 1


def main(folder, seed):
    generator, tensors = np.random.default_rng(int(seed)), {}
    for kind, smooth in (("fp8", smooth_e4m3), ("f16", smooth_float16), ("varlen", smooth_int8)):
        for case, storage in enumerate(generator.permutation([np.float16, ml_dtypes.bfloat16] * (CASES // 2))):
            lengths = draw_lengths(generator, case, kind)
            rows = draw_rows(generator, case, lengths.sum(), kind, storage)
            parts = (rows, *smooth(rows, lengths, storage), lengths, [storage == ml_dtypes.bfloat16])
            for part, values in zip(("rows", "numbers", "scales", "mean", "lengths", "bf16"), parts):
                tensors[f"{kind}.{case}.{part}"] = np.ascontiguousarray(values, dtype=np.float32)
    os.makedirs(folder, exist_ok=True)
    save_file(tensors, f"{folder}/smoothing.safetensors")


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main(*sys.argv[1:])
