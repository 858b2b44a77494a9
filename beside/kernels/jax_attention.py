# SPDX-License-Identifier: Apache-2.0
"""jax.nn.dot_product_attention by XLA, compiled as a whole or operation by operation, forward and backward."""
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy

PACKAGE = "jax"
VARIANTS = ("compiled", "eager")


def rows_first(part):
    """[batch, heads, rows, dim] as [batch, rows, heads, dim], and back."""
    return part.swapaxes(1, 2)


class Kernel:
    limits = "scores=bias value_dim=no zero_extents=no"
    # Hidden scores are one large negative number.
    conventions = "empty_rows=mean hidden_nonfinite=propagates"

    def __init__(self, variant, dtype, device):
        self.wrap = jax.jit if variant == "compiled" else lambda function: function
        stored = {"f32": "0x1p-24", "f16": "0x1p-11", "bf16": "0x1p-8"}[dtype]
        # log_sum_exp is rounded to the format of the keys, and weights are divided before they meet V.
        self.numerics = f"output.log_sum_exp_roundoff={stored} weight.normalised=1"

    def attention(self, call):
        mask = None if call.is_full or call.is_square_causal else jnp.asarray(call.mask)

        def attend(query, key, value, bias=None):
            return jax.nn.dot_product_attention(query, key, value, bias=bias, mask=mask, scale=call.scale,
                                                is_causal=call.is_square_causal, return_residual=True)

        return self.wrap(attend)

    @staticmethod
    def inputs(call):
        parts = [jnp.asarray(rows_first(part)) for part in (call.query, call.key, call.value)]
        if call.bias is not None:
            parts.append(jnp.broadcast_to(jnp.asarray(call.bias), (call.batch, call.heads, call.queries, call.keys)))
        return parts

    def forward(self, call):
        out, log_sum_exp = self.attention(call)(*self.inputs(call))
        return {"out": numpy.asarray(rows_first(out)),
                "log_sum_exp": numpy.asarray(rows_first(log_sum_exp.astype(jnp.float32)))}

    def backward(self, call):
        out, pull, _ = jax.vjp(self.attention(call), *self.inputs(call), has_aux=True)
        gradients = pull(jnp.asarray(rows_first(call.dout)))
        answer = {name: numpy.asarray(rows_first(gradient)) for name, gradient in zip(("dquery", "dkey", "dvalue"), gradients)}
        if call.bias is not None:
            repeated = tuple(axis for axis, extent in enumerate(call.bias.shape) if extent == 1)
            answer["dbias"] = numpy.asarray(gradients[3].astype(jnp.float32).sum(repeated, keepdims=True).astype(call.bias.dtype))
        return answer
