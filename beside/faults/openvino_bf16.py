# SPDX-License-Identifier: Apache-2.0
"""OpenVINO computes a model in f32 by bf16 where the processor has it, unless told otherwise."""
import numpy
import openvino
from openvino import opset13

parts = [numpy.random.default_rng(1).standard_normal((1, 1, 16, 16), dtype=numpy.float32) for _ in range(3)]
parameters = [opset13.parameter(part.shape, numpy.float32) for part in parts]
model = openvino.Model([opset13.scaled_dot_product_attention(*parameters)], parameters)
answers = [openvino.Core().compile_model(model, "CPU", settings)(parts)[0]
           for settings in ({}, {"INFERENCE_PRECISION_HINT": "f32"})]
difference = float(abs(answers[0] - answers[1]).max())
print(openvino.__version__, "differs by", difference)
raise SystemExit(0 if difference > 1e-3 else 1)
