# SPDX-License-Identifier: Apache-2.0
"""JAX's Pallas attention for GPUs: delta = sum dO O is multiplied and summed in the format of the inputs, so dQ of one key is not 0."""
import os

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu.attention import mha

query, key, value, dout = (10 * jax.random.normal(jax.random.key(number), (1, 1, 1, 16), jnp.float16) for number in range(4))
_, pull = jax.vjp(lambda query: mha(query, key, value, None, sm_scale=0.25, interpret=True), query)
largest = jnp.abs(pull(dout)[0]).max().item()
print(jax.__version__, "answers a dQ of up to", largest, "where one key makes it 0")
raise SystemExit(0 if largest > 0.1 else 1)
