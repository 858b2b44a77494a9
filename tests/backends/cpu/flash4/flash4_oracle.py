# SPDX-License-Identifier: Apache-2.0
"""What FlashAttention-4's forward kernel for Blackwell (sm100) computes, tile by tile and rounding by rounding.

Usage: flash4_oracle.py FOLDER SEED writes FOLDER/flash4.safetensors. O and log_sum_exp are those of the kernel with a
NaN that stays NaN in the polynomial exp2; `published` is O with the polynomial as released.

Written from the published source alone: github.com/Dao-AILab/flash-attention at commit 0251105, folder
flash_attn/cute, files flash_fwd_sm100.py, softmax.py, utils.py, mask.py, block_info.py and interface.py, for sm_100.

Approximations that the source does not fix:
* an element of a matrix product over one tile is the float64 sum of its products and of the accumulator it begins
  with, rounded once to float32 toward zero (the hardware adds 16 products an instruction, in its own way);
* ex2.approx and lg2.approx are the correctly rounded result and flush no subnormals; rcp.approx is 1/x rounded;
* the multiplications and additions that the source writes apart (log-sum-exp, denominator times its scale) are rounded
  apart: no contraction by the compiler;
* rows past the last query are left out; keys past the last one are zeros, as TMA fills them."""
import math
import os
import sys

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

F32 = np.float32
TILE = 128  # rows of a query tile and columns of a key tile (interface._get_fwd_config)
FRAGMENT = 32  # columns that apply_exp2_convert takes together
RESCALE_THRESHOLD = F32(8.0)  # powers of two by which the running maximum may lag, for formats of 16 bits
LOG2_E = F32(math.log2(math.e))
LN_2 = F32(math.log(2.0))
POLY_EX2_3 = F32([1.0, 0.695146143436431884765625, 0.227564394474029541015625, 0.077119089663028717041015625])
TUNING = {(True, False, 128): (10, 1), (False, True, 128): (16, 1)}  # (2CTA, causal, dim): (ex2_emu_freq, start_frg)
DEFAULT_TUNING = (16, 1)  # what __call__ falls back to where the table has no entry
EX2_EMU_RES = 4  # default of apply_exp2_convert: the kernel passes none
HALF, BRAIN = np.float16, ml_dtypes.bfloat16
NAN_KEYS = (45, 61, 200)  # the first two are in columns that take the polynomial, the third is not
# name, queries, keys, dim, format, scale, causal, 2CTA, keys with a NaN. The interface chooses 2CTA by default only for
# a full mask with head dim 128 and more than 256 queries.
CASES = [
    ("full", 150, 300, 64, HALF, 1 / 8, False, False, ()),
    ("wide", 300, 520, 128, HALF, 1 / math.sqrt(128), False, True, ()),
    ("late", 60, 700, 64, BRAIN, 1.5, False, False, ()),
    ("causal", 300, 300, 64, BRAIN, 0.7, True, False, ()),
    ("short", 33, 21, 128, HALF, 0.3, False, False, ()),
    ("nan", 30, 256, 64, HALF, 1 / 8, False, False, NAN_KEYS),
    ("nan_causal", 256, 256, 64, BRAIN, 1 / 8, True, False, NAN_KEYS),
]


def matmul(a, b, start):
    """Product of two matrices on top of an accumulator, rounded once to float32 toward zero."""
    exact = a.astype(np.float64) @ b.astype(np.float64) + start
    near = exact.astype(F32)
    return np.where(np.abs(near) > np.abs(exact), np.nextafter(near, F32(0)), near)


def fma(a, b, c):
    """Fused multiply-add in float32: one rounding, to nearest (the float64 sum is first rounded to odd)."""
    product, c = a.astype(np.float64) * b, np.float64(c)
    total = np.asarray(product + c)
    shifted = total - product
    error = (product - (total - shifted)) + (c - shifted)
    inexact = np.isfinite(error) & (error != 0) & (total.view(np.int64) % 2 == 0)
    return np.where(inexact, np.nextafter(total, np.copysign(np.inf, error)), total).astype(F32)


def emulated_columns(dim, causal, two_cta):
    """Which of the 128 columns of a key tile take the polynomial exp2."""
    freq, start = TUNING.get((two_cta, causal, dim), DEFAULT_TUNING)
    fragment, within = np.divmod(np.arange(TILE), FRAGMENT)
    first_of_pair = within // 2 * 2
    return (first_of_pair % freq >= freq - EX2_EMU_RES) & (fragment < TILE // FRAGMENT - 1) & (fragment >= start)


def exp2_hardware(x):
    """The result of ex2.approx, taken as correctly rounded."""
    return np.exp2(x.astype(np.float64)).astype(F32)


def exp2_polynomial(x, keep_nan):
    """The result of ex2_emulation_2; as released, max.f32 makes -127 of a NaN, and keep_nan makes it stay NaN."""
    clamped = (np.maximum if keep_nan else np.fmax)(x, F32(-127.0))
    to_integer = F32(2**23 + 2**22)
    rounded = np.floor(clamped.astype(np.float64) + float(to_integer)).astype(F32)  # add.rm: the spacing here is 1
    fraction = clamped - (rounded - to_integer)
    power = np.full_like(x, POLY_EX2_3[3])
    for coefficient in POLY_EX2_3[2::-1]:
        power = fma(power, fraction, coefficient)
    bits = (rounded.view(np.uint32) << np.uint32(23)) + power.view(np.uint32)  # both wrap, as shl.b32 and add.s32
    return np.where(np.isnan(clamped), clamped, bits.view(F32))


def row_sums(p, start):
    """Sums of rows as fadd_reduce makes them: eight partial sums, then a tree; start is added first, or is None."""
    parts = p.reshape(len(p), TILE // 8, 8)
    lanes = parts[:, 0].copy()
    if start is not None:
        lanes[:, 0] = start + lanes[:, 0]
    for step in range(1, TILE // 8):
        lanes = lanes + parts[:, step]
    pairs = lanes.reshape(len(p), 4, 2)
    pair = (pairs[:, 0] + pairs[:, 1]) + (pairs[:, 2] + pairs[:, 3])
    return pair[:, 0] + pair[:, 1]


def key_tiles(queries, keys, row_tile, causal):
    """Key tiles in the order in which a query tile meets them: from the last that its work tile needs to the first."""
    count = -(-keys // TILE)
    if causal:
        stages = 2 if queries > TILE else 1  # q_stage: two query tiles share one work tile and its key tiles
        last_row = (row_tile // stages + 1) * stages * TILE
        count = min(count, -(-(last_row + keys - queries) // TILE))
    return range(count - 1, -1, -1)


def query_tile(q, k, v, rows, tiles, keys, offset, scale_log2, emulated, keep_nan):
    """O and log-sum-exp in float32 for one query tile; offset is keys - queries for a causal mask, else None."""
    row_max, carried_sum = np.full(len(rows), -np.inf, F32), None
    out = np.zeros((len(rows), v.shape[1]), F32)
    for tile in tiles:
        columns = np.arange(tile * TILE, (tile + 1) * TILE)
        # The source masks only the tiles that need it, to the same effect as masking every tile.
        limit = np.full(len(rows), keys) if offset is None else np.minimum(rows + offset + 1, keys)
        s = matmul(q, k[columns].T, 0.0)
        s = np.where(columns < limit[:, None], s, F32(-np.inf))
        new_max = np.fmax(row_max, np.fmax.reduce(s, axis=1))  # row_max is -inf before the first tile
        safe_max = np.where(new_max == -np.inf, F32(0), new_max)
        if tile != tiles[0]:
            lag = (row_max - safe_max) * scale_log2
            kept = lag >= -RESCALE_THRESHOLD
            rescale = np.where(kept, F32(1), exp2_hardware(lag))
            new_max, safe_max = np.where(kept, row_max, new_max), np.where(kept, row_max, safe_max)
            out, carried_sum = out * rescale[:, None], row_sum * rescale
        row_max = new_max
        x = fma(s, scale_log2, -(safe_max * scale_log2)[:, None])
        p = np.where(emulated, exp2_polynomial(x, keep_nan), exp2_hardware(x))
        out = matmul(p.astype(q.dtype), v[columns], out)
        row_sum = row_sums(p, carried_sum)
    unusable = (row_sum == 0) | np.isnan(row_sum)
    row_sum = np.where(unusable, F32(1), row_sum)
    out = out * (F32(1) / row_sum)[:, None]
    log2_sum = np.log2(row_sum.astype(np.float64)).astype(F32)
    return out, np.where(unusable, F32(-np.inf), (row_max * scale_log2 + log2_sum) * LN_2)


def attention(query, key, value, scale, causal, two_cta, keep_nan):
    """O in the format and log-sum-exp in float32 for queries, keys and values that are matrices."""
    queries, dim = query.shape
    keys = len(key)
    k, v = (np.pad(x, ((0, -keys % TILE), (0, 0))) for x in (key, value))
    emulated = emulated_columns(dim, causal, two_cta)
    parts = []
    for row_tile in range(-(-queries // TILE)):
        rows = np.arange(row_tile * TILE, min(queries, (row_tile + 1) * TILE))
        tiles = key_tiles(queries, keys, row_tile, causal)
        parts.append(query_tile(query[rows], k, v, rows, tiles, keys, keys - queries if causal else None,
                                F32(scale) * LOG2_E, emulated, keep_nan))
    out, log_sum_exp = (np.concatenate(part) for part in zip(*parts))
    return out.astype(query.dtype), log_sum_exp


def main(folder, seed):
    """Write the inputs and the results of every case for one seed."""
    tensors = {}
    for number, (name, queries, keys, dim, format_, scale, causal, two_cta, nan_keys) in enumerate(CASES):
        random = np.random.default_rng([seed, number])
        query, key, value = (random.standard_normal((rows, dim)).astype(format_) for rows in (queries, keys, keys))
        key[list(nan_keys), 5] = np.nan
        out, log_sum_exp = attention(query, key, value, scale, causal, two_cta, True)
        published, _ = attention(query, key, value, scale, causal, two_cta, False)
        entries = {"query": query, "key": key, "value": value, "out": out, "log_sum_exp": log_sum_exp[:, None],
                   "published": published}
        tensors.update({f"{name}.{part}": np.ascontiguousarray(x[None, None]) for part, x in entries.items()})
    os.makedirs(folder, exist_ok=True)
    save_file(tensors, os.path.join(folder, "flash4.safetensors"))


if __name__ == "__main__":
    with np.errstate(invalid="ignore"):  # NaN and infinities are meant
        main(sys.argv[1], int(sys.argv[2]))
