# SPDX-License-Identifier: Apache-2.0
"""OpenVINO in bf16, its default: a hidden value of f32's largest number becomes infinite, and the answer NaN."""
import numpy
import openvino
from openvino import opset13

query = numpy.ones((1, 1, 1, 16), numpy.float32)
value = numpy.ones((1, 1, 2, 16), numpy.float32)
value[0, 0, 1] = numpy.finfo(numpy.float32).max
mask = numpy.array([[[[0, -numpy.inf]]]], numpy.float32)
arrays = [query, numpy.ones_like(value), value, mask]
parameters = [opset13.parameter(array.shape, numpy.float32) for array in arrays]
model = openvino.Model([opset13.scaled_dot_product_attention(*parameters)], parameters)
out = openvino.Core().compile_model(model, "CPU")(arrays)[0]
print(openvino.__version__, "answers", out[0, 0, 0, 0], "where one visible value is 1")
raise SystemExit(0 if numpy.isnan(out).any() else 1)
