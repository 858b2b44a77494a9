# SPDX-License-Identifier: Apache-2.0
"""OpenVINO in bf16, its default: after 3 keys of dim 1, a model of any shape answers others with NaN."""
import numpy
import openvino
from openvino import opset13

random = numpy.random.default_rng(2)
anything = openvino.PartialShape([-1] * 4)
parameters = [opset13.parameter(anything, numpy.float32) for _ in range(3)]
model = openvino.Model([opset13.scaled_dot_product_attention(*parameters)], parameters)
wrong = 0
for _ in range(20):
    request = openvino.Core().compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": 2}).create_infer_request()
    for queries, keys, dim in ((127, 3, 1), (2, 127, 16), (64, 200, 16), (33, 127, 64)):
        parts = [random.standard_normal((1, 2, rows, dim), dtype=numpy.float32) for rows in (queries, keys, keys)]
        wrong += bool(numpy.isnan(request.infer(dict(enumerate(parts)))[0]).any())
print(openvino.__version__, wrong, "of 80 answers to finite numbers hold NaN")
raise SystemExit(0 if wrong else 1)
