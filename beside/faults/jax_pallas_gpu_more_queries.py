# SPDX-License-Identifier: Apache-2.0
"""JAX's Pallas mha for GPUs: causal with more queries than keys reads behind the last key: NaN."""
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu.attention import mha

query, key = jnp.ones((1, 256, 1, 16)), jnp.ones((1, 128, 1, 16))
out = mha(query, key, key, None, causal=True, interpret=True)
print(jax.__version__, "first block", out[0, 0, 0, 0], "second block", out[0, 128, 0, 0])
raise SystemExit(0 if jnp.isnan(out[0, 128:]).any() else 1)
