# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's Attention, f16: a row whose only key has the lowest number added answers 0, as if it saw nothing."""
import numpy
import onnxruntime
from onnx import TensorProto, helper

names = ("query", "key", "value", "added", "out")
query, key, value, added, out = (helper.make_tensor_value_info(name, TensorProto.FLOAT16, None) for name in names)
node = helper.make_node("Attention", names[:4], ["out"], scale=1.0)
graph = helper.make_graph([node], "attention", [query, key, value, added], [out])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
ones = numpy.ones((1, 1, 1, 8), numpy.float16)


def answer(bias):
    bias = numpy.full((1, 1, 1, 1), bias, numpy.float16)
    return session.run(None, {"query": ones, "key": ones, "value": ones, "added": bias})[0].flat[0]


lowest = numpy.finfo(numpy.float16).min
print(onnxruntime.__version__, "-60000 added:", answer(-60000), " the lowest number added:", answer(lowest), " right: 1")
raise SystemExit(0 if answer(-60000) == 1 and answer(lowest) == 0 else 1)
