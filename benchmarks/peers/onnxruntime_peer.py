# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime on the CPU in f32: a graph of single operators, or its fused MultiHeadAttention."""
import numpy
import onnxruntime
from onnx import TensorProto, checker, helper, numpy_helper

from prepared import Prepared


def model_of(nodes, shapes, out_shape, constants):
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
              for name, shape in zip(("query", "key", "value"), shapes)]
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, out_shape)
    graph = helper.make_graph(nodes, "attention", inputs, [out],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def unfused(problem):
    """Q and K^T, scaled, masked, and made weights of V; the key comes transposed."""
    constants = {"scale": numpy.float32(problem.scale)}
    nodes = [helper.make_node("MatMul", ["query", "key"], ["products"]),
             helper.make_node("Mul", ["products", "scale"], ["scores"])]
    scores = "scores"
    allowed = problem.allowed()
    if allowed is not None:
        constants["mask"] = numpy.where(allowed, 0, -numpy.inf).astype(numpy.float32)
        nodes.append(helper.make_node("Add", ["scores", "mask"], ["masked"]))
        scores = "masked"
    nodes += [helper.make_node("Softmax", [scores], ["weights"], axis=-1),
              helper.make_node("MatMul", ["weights", "value"], ["out"])]
    arrays = [problem.query, numpy.ascontiguousarray(problem.key.transpose(0, 1, 3, 2)), problem.value]
    shape = [problem.batch, problem.heads, problem.queries, problem.value_dim]
    return model_of(nodes, [array.shape for array in arrays], shape, constants), arrays, shape, lambda out: out


def fused(problem):
    """Tensors lie as the operator has them: [batch, tokens, heads * channels]."""
    problem.refuse("no windows", problem.mask == "window")

    def merged(array):
        batch, heads, tokens, channels = array.shape
        return numpy.ascontiguousarray(array.transpose(0, 2, 1, 3)).reshape(batch, tokens, heads * channels)

    node = helper.make_node("MultiHeadAttention", ["query", "key", "value"], ["out"], domain="com.microsoft",
                            num_heads=problem.heads, scale=problem.scale, unidirectional=int(problem.is_causal))
    arrays = [merged(array) for array in (problem.query, problem.key, problem.value)]
    shape = [problem.batch, problem.queries, problem.heads * problem.value_dim]

    def split(out):
        return out.reshape(problem.batch, problem.queries, problem.heads, problem.value_dim).transpose(0, 2, 1, 3)

    return model_of([node], [array.shape for array in arrays], shape, {}), arrays, shape, split


def prepare(name, problem):
    problem.refuse("no backward pass", problem.backward)
    problem.refuse("asked in f32 only", problem.dtype != "f32")
    problem.refuse("asked with as many kv heads as heads only", problem.heads != problem.kv_heads)
    problem.refuse("its causal mask is another one where queries and keys differ in number",
                   problem.is_causal and problem.queries != problem.keys)
    model, arrays, shape, split = (fused if name == "onnxruntime_fused" else unfused)(problem)
    if name == "onnxruntime":
        checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = problem.threads, 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for place, array in zip(("query", "key", "value"), arrays):
        binding.bind_ortvalue_input(place, onnxruntime.OrtValue.ortvalue_from_numpy(array))
    out = onnxruntime.OrtValue.ortvalue_from_numpy(numpy.empty(shape, numpy.float32))
    binding.bind_ortvalue_output("out", out)
    notes = [f"onnxruntime {onnxruntime.__version__}, intra_op_num_threads={problem.threads}"]
    return Prepared(lambda: session.run_with_iobinding(binding), lambda _: split(out.numpy()), notes)
