# SPDX-License-Identifier: Apache-2.0
"""jax.nn.dot_product_attention on a CPU, bf16, compiled: one query, key and head are an error of XLA."""
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp

part = jnp.ones((1, 1, 1, 8), jnp.bfloat16)
try:
    jax.jit(jax.nn.dot_product_attention)(part, part, part).block_until_ready()
    outcome = "answers"
except Exception as error:
    outcome = f"{type(error).__name__}: {error}"[:200]
print(jax.__version__, outcome)
raise SystemExit(0 if outcome != "answers" else 1)
