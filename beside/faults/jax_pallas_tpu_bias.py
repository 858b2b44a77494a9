# SPDX-License-Identifier: Apache-2.0
"""JAX's Pallas flash_attention for TPUs multiplies the bias by the scale."""
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy
from jax.experimental.pallas import tpu
from jax.experimental.pallas.ops.tpu.flash_attention import flash_attention

bias = numpy.zeros((1, 1, 128, 128), numpy.float32)
bias[..., 0] = 100
value = numpy.zeros((1, 1, 128, 128), numpy.float32)
value[0, 0, 0] = 1
nothing = jnp.zeros((1, 1, 128, 128))
with tpu.force_tpu_interpret_mode():
    out = flash_attention(nothing, nothing, jnp.asarray(value), jnp.asarray(bias), sm_scale=0.01)
share = float(out[0, 0, 0, 0])  # of the first key: 1 with a bias of 100, e / (e + 127) with one of 1
print(jax.__version__, "weight of the first key", share)
raise SystemExit(0 if share < 0.5 else 1)
