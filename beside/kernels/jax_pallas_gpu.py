# SPDX-License-Identifier: Apache-2.0
"""JAX's Pallas kernel `mha` for GPUs on a CPU, by Pallas's interpreter, forward and backward."""
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy
from jax.experimental.pallas.ops.gpu.attention import mha

from pipe import Refused

PACKAGE = "jax"
VARIANTS = ("interpreted",)


def rows_first(part):
    """[batch, heads, rows, dim] as [batch, rows, heads, dim], and back."""
    return part.swapaxes(1, 2)


def whole_blocks(rows, block):
    return rows <= block or rows % block == 0


class Kernel:
    limits = "scores= masks=full+band gqa=no lengths=no value_dim=no zero_extents=no"
    numerics = ""
    # Its residual is m + log2(l), of scores to base 2.
    conventions = "lse=log2 causal=top_left hidden_nonfinite=propagates"

    def __init__(self, variant, dtype, device):
        pass

    @staticmethod
    def inputs(call):
        call.refuse_masks_but_causal("top_left")
        if not all(whole_blocks(rows, 128) for rows in (call.queries, call.keys)):
            raise Refused("rows come in whole blocks of 128")
        return [jnp.asarray(rows_first(part)) for part in (call.query, call.key, call.value)]

    @staticmethod
    def attend(call, *inputs, **how):
        return mha(*inputs, None, sm_scale=call.scale, causal=call.is_causal, interpret=True, **how)

    def forward(self, call):
        out, log_sum_exp = self.attend(call, *self.inputs(call), return_residuals=True)
        return {"out": numpy.asarray(rows_first(out)), "log_sum_exp": numpy.asarray(log_sum_exp)}

    def backward(self, call):
        if not all(whole_blocks(rows, 32) for rows in (call.queries, call.keys)):
            raise Refused("rows come in whole blocks of 32")
        if max(1, call.queries // 32) != max(1, call.keys // 32):
            raise Refused("queries and keys fall into as many blocks of 32")
        _, pull = jax.vjp(lambda *inputs: self.attend(call, *inputs), *self.inputs(call))
        gradients = pull(jnp.asarray(rows_first(call.dout)))
        return {name: numpy.asarray(rows_first(gradient)) for name, gradient in zip(("dquery", "dkey", "dvalue"), gradients)}
