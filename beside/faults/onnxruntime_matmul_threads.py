# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's MatMul, f32: from 300 terms on its bits depend on the number of threads."""
import numpy
import onnxruntime
from onnx import TensorProto, helper

weights, value, out = (helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("weights", "value", "out"))
graph = helper.make_graph([helper.make_node("MatMul", ["weights", "value"], ["out"])], "product", [weights, value], [out])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10).SerializeToString()
draw = numpy.random.default_rng(1).standard_normal
inputs = {"weights": draw((9, 300)).astype(numpy.float32), "value": draw((300, 64)).astype(numpy.float32)}


def answer(threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(None, inputs)[0]


others = {threads: int((answer(1) != answer(threads)).sum()) for threads in (2, 3, 4)}
print(onnxruntime.__version__, "elements with other bits than on one thread:", others)
raise SystemExit(0 if any(others.values()) else 1)
