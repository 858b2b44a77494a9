# SPDX-License-Identifier: Apache-2.0
"""What the released SageAttention3 (sageattention3_blackwell) computes for one batch and head on an sm120 GPU.

`sage3_oracle.py FOLDER SEED` writes query, key, value and, for each way of mending the released code, the answers of some
cases to FOLDER/sage3.safetensors.

operands() follows api.py and fp4_quantization_4d.cu, attend() follows mainloop_tma_ws.h and softmax_fused.h. Written from
that source and from what nvcc makes of it (CUTLASS 4.2, sm_120a, --use_fast_math), by who had not seen the emulator. Numbers
are exact but for these approximations of this file:
  * a block-scaled matrix instruction (64 products an element) is the float64 sum of its products and the accumulator,
    rounded once to float32 toward zero;
  * ex2.approx is the C library's exp2f, rcp.approx and div.approx use the reciprocal rounded to nearest;
  * means, and the products of delta_scores, whose order of summation the libraries choose, are exact sums, rounded once.
    (Triton 3.4 adds the 128 rows of a mean up in their own 16-bit format.)
Codes and scales are kept as float32 values, in the natural order of tokens and channels.
"""
import ctypes
import os
import sys
from collections import namedtuple

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

TILE = 128  # rows of a query tile, keys of a key tile and rows of a group mean, for head dims 64 and 128
GROUP = 16  # elements of one scale
DEPTH = 64  # products of one matrix instruction
FOUR_BIT_MAXIMUM, SCALE_MAXIMUM = np.float32(6), np.float32(448)
LOG2_SECOND_LEVEL = np.float32(11.392317422778762)  # of 448 * 6, the largest weight
LOG2_FOUR_BIT_MAXIMUM = np.float32(2.584962500721156)
LOG2_E = 1.4426950408889634
SMALLEST_NORMAL = np.float32(2.0 ** -126)
# Departures from the released code that mend it; attend() takes a set of them.
NATURAL_MASKS = "masks compare the key's own index, not its index in the permuted key tile"
KEEP_SECOND_CAUSAL_TILE = "a causal row keeps the products of the second key tile that it visits"
FREE_FIRST_MAXIMUM = "the maxima of the first key tile start at minus infinity, not at zero"
EVERY_REPAIR = frozenset((NATURAL_MASKS, KEEP_SECOND_CAUSAL_TILE, FREE_FIRST_MAXIMUM))

Quantized = namedtuple("Quantized", "codes scales")  # codes [rows, depth], scales [rows, depth / 16]
Operands = namedtuple("Operands", "query key value delta_scores query_means key_mean smooth_query smooth_key lengths format")
Tile = namedtuple("Tile", "query_tile key_tile scores codes scales kept")
Result = namedtuple("Result", "output cast_output row_sums maxima log_sum_exp tiles")


def flush(values):
    """Subnormal float32 to zero, as the .ftz instructions do."""
    return np.where(np.abs(values) < SMALLEST_NORMAL, np.float32(0), values).astype(np.float32)


def fused_multiply_add(left, right, addend):
    """fma.rn.ftz.f32: the float64 sum is rounded to odd, so that the rounding to float32 is the only one."""
    product = left.astype(np.float64) * right
    addend = np.asarray(addend, np.float64)
    total = product + addend
    back = total - product
    rest = (product - (total - back)) + (addend - back)
    even = np.ascontiguousarray(total).view(np.int64) & 1 == 0
    inexact = np.isfinite(total) & (rest != 0) & even
    total = np.where(inexact, np.nextafter(total, np.where(rest > 0, np.inf, -np.inf)), total)
    return flush(total.astype(np.float32))


LIBM = ctypes.CDLL("libm.so.6")
LIBM.exp2f.restype, LIBM.exp2f.argtypes = ctypes.c_float, [ctypes.c_float]


def exp2(values):
    """ex2.approx.ftz.f32 but for its error (2 ulp at most)."""
    return flush(np.vectorize(LIBM.exp2f, otypes=[np.float32])(values))


def to_e2m1(values):
    """cvt.rn.satfinite.e2m1x2.f32: ties to even, saturating, a NaN gives +6."""
    clipped = np.clip(np.where(np.isnan(values), FOUR_BIT_MAXIMUM, values), -FOUR_BIT_MAXIMUM, FOUR_BIT_MAXIMUM)
    return clipped.astype(ml_dtypes.float4_e2m1fn).astype(np.float32)


def to_e4m3(values):
    """cvt.rn.satfinite.e4m3x2.f32 of values that are not negative: ties to even, 448 at most, a NaN stays."""
    return np.minimum(values, SCALE_MAXIMUM).astype(ml_dtypes.float8_e4m3fn).astype(np.float32)


def toward_zero(exact):
    """float64 to float32, truncated; 2^128 and more is infinite."""
    nearest = exact.astype(np.float32)
    beyond = (np.abs(nearest.astype(np.float64)) > np.abs(exact)) & (np.abs(exact) < 2.0 ** 128)
    return np.where(beyond, np.nextafter(nearest, np.float32(0)), nearest)


def values_of(quantized):
    return quantized.codes.astype(np.float64) * quantized.scales.repeat(GROUP, 1)


def block_scaled_product(accumulator, left, right):
    """One matrix instruction: accumulator [m, n] + left [m, 64] times right [n, 64] transposed, in float32."""
    return toward_zero(accumulator.astype(np.float64) + values_of(left) @ values_of(right).T)


def quantize(rows):
    """The codes and scales of groups of 16 along the last axis of a float16 or bfloat16 array."""
    groups = rows.astype(np.float32).reshape(len(rows), -1, GROUP)
    largest = np.fmax.reduce(np.abs(groups), -1)  # max.f16x2 and max.bf16x2 pass over NaN
    scales = to_e4m3(flush(largest * np.float32(1 / 6)))
    with np.errstate(divide="ignore"):
        reciprocals = np.where(scales == 0, np.float32(0), np.float32(1) / scales)
    codes = to_e2m1(flush(groups * reciprocals[..., None]))
    return Quantized(codes.reshape(rows.shape), scales)


def exact_mean(rows):
    """Over the first axis, in the input format."""
    return rows.astype(np.float64).mean(0, keepdims=True).astype(rows.dtype)


def less(rows, mean):
    return (rows.astype(np.float32) - mean.astype(np.float32)).astype(rows.dtype)


def operands(query, key, value, per_block_mean=True):
    """preprocess_qkv and the three quantizations for arrays [rows, dim] of float16 or bfloat16, dim 64 or 128."""
    form, lengths = query.dtype, (len(query), len(key))
    key_mean = exact_mean(key)
    key, query, value = (np.pad(rows, ((0, -len(rows) % TILE), (0, 0))) for rows in (less(key, key_mean), query, value))
    starts = range(0, len(query), TILE if per_block_mean else len(query))
    means = np.concatenate([exact_mean(query[start:start + starts.step]) for start in starts])
    query = less(query, means.repeat(starts.step, 0))
    delta_scores = (means.astype(np.float64) @ key.astype(np.float64).T).astype(np.float32).astype(form).astype(np.float32)
    return Operands(quantize(query), quantize(key), quantize(np.ascontiguousarray(value.T)), delta_scores,
                    means, key_mean, query, key, lengths, form)


def part(quantized, rows, depth):
    """Rows and one instruction's depth of codes and scales."""
    return Quantized(quantized.codes[rows, depth * DEPTH:(depth + 1) * DEPTH],
                     quantized.scales[rows, depth * DEPTH // GROUP:(depth + 1) * DEPTH // GROUP])


def permuted_index():
    """Where each key of a tile lies in the permuted tile; the masks of the released code compare this index."""
    key = np.arange(TILE)
    return key // 32 * 32 + key % 8 // 2 * 8 + key % 32 // 8 * 2 + key % 2


def last_visible(causal, visit, query_tile, key_tile, lengths, padded_lengths):
    """For each row of a tile, how many keys (by the index that masks compare) it may see on this visit."""
    padded_queries, padded_keys = padded_lengths
    row_limit = np.arange(TILE) + 1 + padded_keys - padded_queries + query_tile * TILE
    if causal and visit < 2:
        return row_limit - (key_tile - visit) * TILE
    return np.full(TILE, TILE if visit else lengths[1] - key_tile * TILE)


def add_to_row_sums(row_sums, rescale, weights):
    """Four threads share a row, each adds its 8 of every 32 keys one by one; a later tile begins with an FFMA."""
    sequences = weights.reshape(TILE, TILE // 32, 4, 8).transpose(1, 3, 0, 2).reshape(-1, TILE, 4)
    row_sums = sequences[0] if rescale is None else fused_multiply_add(row_sums, rescale[:, None], sequences[0])
    for weight in sequences[1:]:
        row_sums = row_sums + weight
    return row_sums


def attend_query_tile(given, query_tile, key_tiles, causal, scale_log2, product, log2_level, repairs):
    """The accumulator, row sums, maxima and tiles of 128 rows; key tiles are visited from the last to the first."""
    dim = given.query.codes.shape[1]
    padded_lengths = len(given.query.codes), len(given.key.codes)
    rows = slice(query_tile * TILE, (query_tile + 1) * TILE)
    delta = given.delta_scores[min(query_tile, len(given.delta_scores) - 1)]
    column = np.arange(TILE) if NATURAL_MASKS in repairs else permuted_index()
    maxima, row_sums = np.full(TILE, -np.inf, np.float32), None
    output, tiles = np.zeros((TILE, dim), np.float32), []
    for visit, key_tile in enumerate(reversed(range(key_tiles))):
        keys = slice(key_tile * TILE, (key_tile + 1) * TILE)
        scores = np.broadcast_to(delta[keys], (TILE, TILE)).astype(np.float32)
        for depth in range(dim // DEPTH):
            scores = product(scores, part(given.query, rows, depth), part(given.key, keys, depth))
        limit = last_visible(causal, visit, query_tile, key_tile, given.lengths, padded_lengths)
        scores = np.where(column >= limit[:, None], np.float32(-np.inf), scores)
        floor = 0 if visit == 0 and FREE_FIRST_MAXIMUM not in repairs else -np.inf
        block_maxima = np.fmax.reduce(scores.reshape(TILE, -1, GROUP), -1, initial=np.float32(floor))
        previous, maxima = maxima, np.fmax(maxima, np.fmax.reduce(block_maxima, -1))
        rescale = exp2((previous - maxima) * scale_log2) if visit else None
        shift = -fused_multiply_add(maxima, scale_log2, -log2_level)[:, None]
        weights = exp2(fused_multiply_add(scores, scale_log2, shift))
        row_sums = add_to_row_sums(row_sums, rescale, weights)
        block_scales = exp2(fused_multiply_add(block_maxima, scale_log2, shift) - LOG2_FOUR_BIT_MAXIMUM)
        reciprocals = flush(np.float32(1) / block_scales).repeat(GROUP, 1)
        probabilities = Quantized(to_e2m1(flush(weights * reciprocals)), to_e4m3(block_scales))
        added = output if visit == 0 else np.zeros_like(output)
        for depth in range(TILE // DEPTH):
            value_depth = key_tile * TILE // DEPTH + depth
            added = product(added, part(probabilities, slice(None), depth), part(given.value, slice(None), value_depth))
        kept = not (causal and visit == 1) or KEEP_SECOND_CAUSAL_TILE in repairs
        if visit == 0:
            output = added
        elif kept:
            output = fused_multiply_add(output, rescale[:, None], added)
        tiles.append(Tile(query_tile, key_tile, scores, *probabilities, kept))
    return output, row_sums, maxima, tiles


def attend(given, causal=False, scale=None, product=block_scaled_product, second_level=True, repairs=frozenset()):
    """The attention of operands(). second_level=False leaves P in [0, 1] (for comparison; the code has no such mode)."""
    (queries, _), dim = given.lengths, given.query.codes.shape[1]
    padded_queries, padded_keys = len(given.query.codes), len(given.key.codes)
    scale = np.float32(dim ** -0.5 if scale is None else scale)
    scale_log2 = np.float32(float(scale) * LOG2_E)
    log2_level = LOG2_SECOND_LEVEL if second_level else np.float32(0)
    parts, tiles = [], []
    for query_tile in range(padded_queries // TILE):
        key_tiles = padded_keys // TILE
        if causal:
            key_tiles = min(key_tiles, -(-((query_tile + 1) * TILE + padded_keys - padded_queries) // TILE))
        if key_tiles <= 0:  # the consumer writes zeros here, but its producer and store warps do not skip: see NOTES.md
            parts.append((np.zeros((TILE, dim), np.float32), np.zeros(TILE, np.float32), np.full(TILE, -np.inf, np.float32)))
            continue
        with np.errstate(all="ignore"):
            output, lanes, largest, visited = attend_query_tile(
                given, query_tile, key_tiles, causal, scale_log2, product, log2_level, repairs)
            total = (lanes[:, 0] + lanes[:, 1]) + (lanes[:, 2] + lanes[:, 3])
            inverse = np.where((total == 0) | np.isnan(total), np.float32(0), flush(np.float32(1) / total))
        parts.append((flush(output * inverse[:, None]), total, largest))
        tiles += visited
    output, row_sums, maxima = (np.concatenate(arrays)[:queries] for arrays in zip(*parts))
    with np.errstate(all="ignore"):
        cast_output = output.astype(given.format)
        log_sum_exp = maxima * float(scale) + np.log(row_sums.astype(np.float64)) - float(log2_level) * np.log(2)
    return Result(output, cast_output, row_sums, maxima, log_sum_exp, tiles)


CASES = {  # name: queries, keys, dim, format, causal, means of 128 rows
    "full": (150, 300, 64, np.float16, False, True), "short": (40, 21, 128, ml_dtypes.bfloat16, False, True),
    "causal": (300, 300, 64, ml_dtypes.bfloat16, True, True), "one_mean": (200, 200, 128, np.float16, True, False),
}
MENDED = {"mended": EVERY_REPAIR, "masks": EVERY_REPAIR - {NATURAL_MASKS}, "second": EVERY_REPAIR - {KEEP_SECOND_CAUSAL_TILE},
          "first": EVERY_REPAIR - {FREE_FIRST_MAXIMUM}, "released": frozenset()}


def main(folder, seed):
    generator, tensors = np.random.default_rng(int(seed)), {}
    for name, (queries, keys, dim, form, causal, per_block_mean) in CASES.items():
        shapes = {"query": (queries, dim), "key": (keys, dim), "value": (keys, dim)}
        given = {part: (2 * generator.standard_normal(shape) + generator.standard_normal(dim)).astype(form)
                 for part, shape in shapes.items()}
        coded = operands(*given.values(), per_block_mean)
        tensors |= {f"{name}.{part}": rows for part, rows in given.items()}
        tensors |= {f"{name}.{how}": attend(coded, causal, repairs=repairs).cast_output for how, repairs in MENDED.items()}
    os.makedirs(folder, exist_ok=True)
    save_file(tensors, f"{folder}/sage3.safetensors")


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main(*sys.argv[1:])
