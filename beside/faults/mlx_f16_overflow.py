# SPDX-License-Identifier: Apache-2.0
"""MLX's attention on a CPU, f16: q.k of a large hidden key overflows before the mask is added: NaN."""
import mlx.core as mx

query = mx.ones((1, 1, 1, 8), mx.float16)
key = mx.concatenate([query, mx.full((1, 1, 1, 8), 65504, mx.float16)], axis=2)
added = mx.array([[[[0, -65504]]]], mx.float16)
out = mx.fast.scaled_dot_product_attention(query, key, mx.ones_like(key), scale=1.0, mask=added)
print(mx.__version__, "answers", out[0, 0, 0, 0].item(), "where one visible value is 1")
raise SystemExit(0 if mx.isnan(out).any().item() else 1)
