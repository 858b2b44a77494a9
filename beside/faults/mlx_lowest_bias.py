# SPDX-License-Identifier: Apache-2.0
"""MLX's attention on a CPU: hidden scores are the lowest number, and win over visible ones of -inf."""
import mlx.core as mx

query, key = mx.full((1, 1, 1, 8), -mx.inf), mx.ones((1, 1, 2, 8))
value = mx.broadcast_to(mx.array([1.0, 3.0]).reshape(1, 1, 2, 1), (1, 1, 2, 8))
out = mx.fast.scaled_dot_product_attention(query, key, value, scale=1.0, mask=mx.array([[[[True, False]]]]))
print(mx.__version__, "answers", out[0, 0, 0, 0].item(), "the value of the hidden key is 3")
raise SystemExit(0 if out[0, 0, 0, 0].item() == 3 else 1)
