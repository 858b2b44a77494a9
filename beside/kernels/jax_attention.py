# SPDX-License-Identifier: Apache-2.0
"""jax.nn.dot_product_attention by XLA, compiled as a whole or operation by operation, forward and backward."""
import functools
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy

PACKAGE = "jax"
VARIANTS = ("compiled", "eager")
STORED = {"f32": "0x1p-24", "f16": "0x1p-11", "bf16": "0x1p-8"}


def rows_first(part):
    """[batch, heads, rows, dim] as [batch, rows, heads, dim], and back."""
    return part.swapaxes(1, 2)


def attention(scale, causal, mask, query, key, value, bias=None):
    return jax.nn.dot_product_attention(query, key, value, bias=bias, mask=mask, scale=scale, is_causal=causal,
                                        return_residual=True)


def differentiated(scale, causal, mask, dout, *inputs):
    _, pull, _ = jax.vjp(functools.partial(attention, scale, causal, mask), *inputs, has_aux=True)
    return pull(dout)


class Kernel:
    limits = "scores=bias value_dim=no zero_extents=no"
    # Hidden scores are one large negative number.
    conventions = "empty_rows=mean hidden_nonfinite=propagates"

    def __init__(self, variant, dtype, device):
        compiled = functools.partial(jax.jit, static_argnums=(0, 1)) if variant == "compiled" else lambda function: function
        self.attention, self.differentiated = compiled(attention), compiled(differentiated)
        # log_sum_exp is rounded to the format of the keys, and weights are divided before they meet V; so dP is rounded, too.
        underflow = {"f16": "0x1p-25", "bf16": "0x1p-126"}
        stored = f"gradient.stored.roundoff={STORED[dtype]} gradient.stored.underflow={underflow[dtype]}" if dtype != "f32" else ""
        self.numerics = f"output.log_sum_exp_roundoff={STORED[dtype]} weight.normalised=yes {stored}"

    @staticmethod
    def how(call):
        mask = None if call.is_full or call.is_square_causal else jnp.asarray(call.mask)
        return call.scale, call.is_square_causal, mask

    @staticmethod
    def inputs(call):
        call.refuse_rows_emptied_by_bias()
        parts = [jnp.asarray(rows_first(part)) for part in (call.query, call.key, call.value)]
        if call.bias is not None:
            parts.append(jnp.asarray(call.bias))
        return parts

    def forward(self, call):
        out, log_sum_exp = self.attention(*self.how(call), *self.inputs(call))
        return {"out": numpy.asarray(rows_first(out)),
                "log_sum_exp": numpy.asarray(rows_first(log_sum_exp.astype(jnp.float32)))}

    def backward(self, call):
        gradients = self.differentiated(*self.how(call), jnp.asarray(rows_first(call.dout)), *self.inputs(call))
        names = ("dquery", "dkey", "dvalue")
        answer = {name: numpy.asarray(rows_first(gradient)) for name, gradient in zip(names, gradients)}
        return answer | {"dbias": numpy.asarray(gradient) for gradient in gradients[3:]}
