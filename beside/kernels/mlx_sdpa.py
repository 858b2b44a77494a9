# SPDX-License-Identifier: Apache-2.0
"""MLX's mx.fast.scaled_dot_product_attention on a CPU, with sinks, forward and backward."""
import ml_dtypes
import mlx.core as mx
import numpy

PACKAGE = "mlx"
VARIANTS = ("fast",)
STORED = {numpy.dtype(numpy.float32): mx.float32, numpy.dtype(numpy.float16): mx.float16,
          numpy.dtype(ml_dtypes.bfloat16): mx.bfloat16, numpy.dtype(numpy.bool_): mx.bool_}


def placed(part):
    """MLX reads no bf16 of numpy; all of them are numbers of f32."""
    kind = STORED[part.dtype]
    return mx.array(part.astype(numpy.float32)).astype(kind) if kind == mx.bfloat16 else mx.array(numpy.array(part))


def array(of, kind):
    return numpy.array(of.astype(mx.float32)).astype(kind)


class Kernel:
    limits = "scores=bias+sink zero_extents=no"
    conventions = "outputs=out empty_rows=mean hidden_nonfinite=propagates"

    def __init__(self, variant, dtype, device):
        # Rounded are: the scaled query, products, what is added to them, and each step of gradients.
        rounded = {"f32": "", "f16": "score.prescale.roundoff=0x1p-11 score.prescale.underflow=0x1p-25 "
                                     "score.stored.roundoff=0x1p-10 score.stored.underflow=0x1p-24 "
                                     "gradient.accumulator.roundoff=0x1p-11 gradient.accumulator.underflow=0x1p-25",
                   "bf16": "score.prescale.roundoff=0x1p-8 score.prescale.underflow=0x1p-126 "
                           "score.stored.roundoff=0x1p-7 score.stored.underflow=0x1p-125 "
                           "gradient.accumulator.roundoff=0x1p-8 gradient.accumulator.underflow=0x1p-126"}[dtype]
        self.numerics = f"weight.normalised=yes {rounded}"

    def attend(self, call, query, key, value, *more):
        more = list(more)
        bias = more.pop(0) if call.bias is not None else None
        sinks = more.pop(0).astype(query.dtype) if call.sink is not None else None
        mask = "causal" if call.is_causal else None if call.is_full else placed(call.mask)
        if bias is not None:
            mask = bias if call.is_full else mx.where(placed(call.mask), bias, mx.array(-mx.inf, bias.dtype))
        return mx.fast.scaled_dot_product_attention(query, key, value, scale=call.scale, mask=mask, sinks=sinks)

    @staticmethod
    def inputs(call):
        call.refuse_rows_without_keys_beside_bias()
        parts = (call.query, call.key, call.value, call.bias, call.sink)
        return [placed(part) for part in parts if part is not None]

    def forward(self, call):
        return {"out": array(self.attend(call, *self.inputs(call)), call.query.dtype)}

    def backward(self, call):
        _, gradients = mx.vjp(lambda *inputs: self.attend(call, *inputs), self.inputs(call), [placed(call.dout)])
        names = ["dquery", "dkey", "dvalue"] + ["dbias"] * (call.bias is not None) + ["dsink"] * (call.sink is not None)
        return {name: array(gradient, call.query.dtype) for name, gradient in zip(names, gradients)}
