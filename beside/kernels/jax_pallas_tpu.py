# SPDX-License-Identifier: Apache-2.0
"""JAX's Pallas kernel `flash_attention` for TPUs on a CPU, by Pallas's interpreter, forward."""
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax.numpy as jnp
import numpy
from jax.experimental.pallas import tpu
from jax.experimental.pallas.ops.tpu.flash_attention import flash_attention

from pipe import Refused

PACKAGE = "jax"
VARIANTS = ("interpreted",)


class Kernel:
    limits = "scores=bias masks=full+band gqa=no lengths=no value_dim=no zero_extents=no"
    numerics = ""
    conventions = "outputs=out hidden_nonfinite=propagates"

    def __init__(self, variant, dtype, device):
        pass

    def forward(self, call):
        call.refuse_masks_but_causal()
        if call.keys % 128 or call.queries % 8 or call.dim % 8 or (call.queries > 128 and call.queries % 128):
            raise Refused("keys come in whole blocks of 128, queries and channels by eights")
        bias = None
        if call.bias is not None:
            bias = jnp.broadcast_to(jnp.asarray(call.bias), (call.batch, call.heads, call.queries, call.keys))
        inputs = [jnp.asarray(part) for part in (call.query, call.key, call.value)]
        with tpu.force_tpu_interpret_mode():
            return {"out": numpy.asarray(flash_attention(*inputs, bias, causal=call.is_causal, sm_scale=call.scale))}
