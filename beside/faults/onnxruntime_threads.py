# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime, f32: bits depend on the number of threads, of MultiHeadAttention with a bias, and of MatMul from 300 terms on."""
import numpy
import onnxruntime
from onnx import TensorProto, helper

OPSETS = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
ATTENTION = helper.make_node("MultiHeadAttention", ["query", "key", "value", "", "", "added"], ["out"], domain="com.microsoft",
                             num_heads=1)
ATTENDED = {"query": (1, 25, 136), "key": (1, 136, 136), "value": (1, 136, 68), "added": (1, 1, 25, 136)}
PRODUCT = helper.make_node("MatMul", ["weights", "value"], ["out"])
MULTIPLIED = {"weights": (9, 300), "value": (300, 64)}


def tensor(name):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, None)


def others(node, shapes):
    """By the number of threads, the elements of the answer that differ from that on one."""
    graph = helper.make_graph([node], "graph", list(map(tensor, shapes)), [tensor("out")])
    model = helper.make_model(graph, opset_imports=OPSETS, ir_version=10).SerializeToString()
    draw = numpy.random.default_rng(1).standard_normal
    inputs = {name: draw(shape).astype(numpy.float32) for name, shape in shapes.items()}

    def answer(threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(None, inputs)[0]

    return {threads: int((answer(1) != answer(threads)).sum()) for threads in (2, 3, 4)}


found = {"MultiHeadAttention": others(ATTENTION, ATTENDED), "MatMul": others(PRODUCT, MULTIPLIED)}
print(onnxruntime.__version__, "elements with other bits than on one thread:", found)
raise SystemExit(0 if all(any(counts.values()) for counts in found.values()) else 1)
