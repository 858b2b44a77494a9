# SPDX-License-Identifier: Apache-2.0
"""jax.nn.dot_product_attention: hidden scores are -0.7 times the largest number, so a lower bias weighs less than they do."""
import os

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp

lowest = jnp.finfo(jnp.float32).min
row, value = jnp.ones((1, 1, 1, 8)), jnp.broadcast_to(jnp.array([1.0, 3.0]).reshape(1, 2, 1, 1), (1, 2, 1, 8))
bias = jnp.array([lowest, 0.0]).reshape(1, 1, 1, 2)
mask = jnp.array([True, False]).reshape(1, 1, 1, 2)  # of the two keys only the first one is seen
out = jax.nn.dot_product_attention(row, jnp.ones((1, 2, 1, 8)), value, bias=bias, mask=mask)
print(jax.__version__, "answers", out[0, 0, 0, 0].item(), "where the only visible value is 1")
raise SystemExit(0 if out[0, 0, 0, 0].item() != 1 else 1)
