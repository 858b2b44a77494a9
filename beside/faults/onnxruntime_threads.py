# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's MultiHeadAttention, f32: where a bias is added, its bits depend on the number of threads."""
import numpy
import onnxruntime
from onnx import TensorProto, helper

names = ("query", "key", "value", "added", "out")
query, key, value, added, out = (helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
parts = ("query", "key", "value", "", "", "added")
node = helper.make_node("MultiHeadAttention", parts, ["out"], domain="com.microsoft", num_heads=1)
graph = helper.make_graph([node], "attention", [query, key, value, added], [out])
opsets = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
model = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
draw = numpy.random.default_rng(1).standard_normal
shapes = {"query": (1, 25, 136), "key": (1, 136, 136), "value": (1, 136, 68), "added": (1, 1, 25, 136)}
inputs = {name: draw(shape).astype(numpy.float32) for name, shape in shapes.items()}


def answer(threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(None, inputs)[0]


others = {threads: int((answer(1) != answer(threads)).sum()) for threads in (2, 3, 4)}
print(onnxruntime.__version__, "elements with other bits than on one thread:", others)
raise SystemExit(0 if any(others.values()) else 1)
