# SPDX-License-Identifier: Apache-2.0
"""MLX's attention on a CPU, f16: dO.v of a large hidden value overflows, and 0 times that is NaN in dQ."""
import mlx.core as mx

query = mx.ones((1, 1, 1, 8), mx.float16)
value = mx.concatenate([query, mx.full((1, 1, 1, 8), 65504, mx.float16)], axis=2)
mask = mx.array([[[[True, False]]]])


def attend(rows):
    return mx.fast.scaled_dot_product_attention(rows, mx.ones_like(value), value, scale=1.0, mask=mask)


out, gradient = mx.vjp(attend, [query], [query])
print(mx.__version__, "out", out[0][0, 0, 0, 0].item(), "dQ", gradient[0][0, 0, 0, 0].item())
raise SystemExit(0 if mx.isnan(gradient[0]).any().item() else 1)
