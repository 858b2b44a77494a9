# SPDX-License-Identifier: Apache-2.0
"""jax.nn.dot_product_attention on a CPU, f16: what answers as it stands raises once it is compiled."""
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp

part = jnp.ones((1, 4, 2, 16), jnp.float16)
jax.nn.dot_product_attention(part, part, part)
try:
    jax.jit(jax.nn.dot_product_attention)(part, part, part)
    outcome = "answers"
except ValueError as error:
    outcome = f"ValueError: {error}"
print(jax.__version__, outcome)
raise SystemExit(0 if outcome != "answers" else 1)
