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
    numerics = ""
    conventions = "outputs=out empty_rows=nan hidden_nonfinite=propagates"

    def __init__(self, variant, dtype, device):
        pass

    def attend(self, call, query, key, value, *more):
        more = list(more)
        bias = more.pop(0) if call.bias is not None else None
        sinks = more.pop(0).astype(query.dtype) if call.sink is not None else None
        mask = "causal" if call.is_causal else None if call.is_full else placed(call.mask)
        if bias is not None:
            mask = bias if call.is_full else mx.where(placed(call.mask), bias, mx.array(-float("inf"), bias.dtype))
        return mx.fast.scaled_dot_product_attention(query, key, value, scale=call.scale, mask=mask, sinks=sinks)

    @staticmethod
    def inputs(call):
        parts = (call.query, call.key, call.value, call.bias, call.sink)
        return [placed(part) for part in parts if part is not None]

    def forward(self, call):
        return {"out": array(self.attend(call, *self.inputs(call)), call.query.dtype)}

    def backward(self, call):
        _, gradients = mx.vjp(lambda *inputs: self.attend(call, *inputs), self.inputs(call), [placed(call.dout)])
        names = ["dquery", "dkey", "dvalue"] + ["dbias"] * (call.bias is not None) + ["dsink"] * (call.sink is not None)
        return {name: array(gradient, call.query.dtype) for name, gradient in zip(names, gradients)}
