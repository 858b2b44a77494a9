# SPDX-License-Identifier: Apache-2.0
"""OpenVINO's ScaledDotProductAttention on a CPU, for models in f32: computed in f32, or as it chooses by default."""
import functools

import numpy
import openvino
from openvino import opset13

from pipe import Refused

PACKAGE = "openvino"
VARIANTS = ("f32", "default")
core = openvino.Core()


@functools.lru_cache(16)
def request_of(variant, causal, added, threads):
    any_extent = openvino.PartialShape([-1, -1, -1, -1])
    parameters = [opset13.parameter(any_extent, numpy.float32) for _ in ("query", "key", "value")]
    parameters.append(opset13.parameter(any_extent if added else openvino.PartialShape([1, 1]), numpy.float32))
    parameters.append(opset13.parameter(openvino.PartialShape([]), numpy.float32))
    out = opset13.scaled_dot_product_attention(*parameters, causal=causal)
    settings = {"INFERENCE_NUM_THREADS": threads}
    if variant == "f32":
        settings["INFERENCE_PRECISION_HINT"] = "f32"
    return core.compile_model(openvino.Model([out], parameters), "CPU", settings).create_infer_request()


class Kernel:
    limits = "scores=bias zero_extents=no gqa=no"
    conventions = "outputs=out empty_rows=nan hidden_nonfinite=propagates"

    def __init__(self, variant, dtype, device):
        self.variant = variant
        # By default it computes in bf16 where the processor can: query, key, value, weights and answer.
        self.numerics = "" if variant == "f32" else (
            "operand_roundoff=0x1p-8 weight_roundoff=0x1p-8 weight_underflow=0x1p-126 weight.normalised=yes "
            "score.stored.roundoff=0x1p-8 score.stored.underflow=0x1p-126 output.cast.roundoff=0x1p-8")
        if dtype != "f32":
            raise ValueError("asked for models in f32")

    def forward(self, call):
        if call.dim != call.value_dim:
            raise Refused("value has as many channels as key")
        causal = call.is_square_causal and call.bias is None
        added = None if causal else self.added(call)
        request = request_of(self.variant, causal, added is not None, call.threads)
        added = numpy.zeros((1, 1), numpy.float32) if added is None else added
        inputs = [numpy.array(part) for part in (call.query, call.key, call.value, added, numpy.float32(call.scale))]
        request.infer(dict(enumerate(inputs)))
        return {"out": request.get_output_tensor().data.copy()}

    @staticmethod
    def added(call):
        if call.is_full and call.bias is None:
            return None
        shape = (call.batch, call.heads, call.queries, call.keys)
        bias = numpy.zeros(shape, numpy.float32) if call.bias is None else numpy.broadcast_to(call.bias, shape).copy()
        if call.mask is not None:
            bias[~call.mask] = -numpy.inf
        return bias
