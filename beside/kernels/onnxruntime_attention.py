# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime on a CPU: the operator Attention of ONNX, its own MultiHeadAttention, and single operators."""
import functools

import numpy
import onnxruntime
from onnx import TensorProto, helper

from pipe import Refused

PACKAGE = "onnxruntime"
VARIANTS = ("attention", "multi_head", "unfused")
STORED = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16}


def nodes_of(variant, scale, causal, added, heads):
    """What a graph does with query, key (transposed in `unfused`), value and, perhaps, what is added to scores."""
    if variant == "attention":
        inputs = ["query", "key", "value"] + (["added"] if added else [])
        return [helper.make_node("Attention", inputs, ["out"], scale=scale, is_causal=int(causal))]
    if variant == "multi_head":
        inputs = ["query", "key", "value"] + (["", "", "added"] if added else [])
        return [helper.make_node("MultiHeadAttention", inputs, ["out"], domain="com.microsoft", num_heads=heads,
                                 scale=scale, unidirectional=int(causal))]
    nodes = [helper.make_node("Transpose", ["key"], ["turned"], perm=[0, 1, 3, 2]),
             helper.make_node("MatMul", ["query", "turned"], ["products"]),
             helper.make_node("Mul", ["products", "scale"], ["scaled"])]
    if added:
        nodes.append(helper.make_node("Add", ["scaled", "added"], ["sum"]))
    return nodes + [helper.make_node("Softmax", ["sum" if added else "scaled"], ["weights"], axis=-1),
                    helper.make_node("MatMul", ["weights", "value"], ["out"])]


@functools.lru_cache(64)
def session_of(variant, kind, scale, causal, added, heads, threads):
    rank = 3 if variant == "multi_head" else 4

    def tensor(name, axes):
        return helper.make_tensor_value_info(name, kind, [f"{name}{axis}" for axis in range(axes)])

    inputs = [tensor(name, rank) for name in ("query", "key", "value")] + ([tensor("added", 4)] if added else [])
    constants = []
    if variant == "unfused":
        constants.append(helper.make_tensor("scale", kind, [], [scale]))
    nodes = nodes_of(variant, scale, causal, added, heads)
    graph = helper.make_graph(nodes, "attention", inputs, [tensor("out", rank)], constants)
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 4
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def merged(part):
    """[batch, rows, heads * channels] of [batch, heads, rows, channels]."""
    batch, heads, rows, channels = part.shape
    return numpy.ascontiguousarray(part.swapaxes(1, 2)).reshape(batch, rows, heads * channels)


class Kernel:
    def __init__(self, variant, dtype, device):
        self.variant, self.kind = variant, STORED[dtype]
        of_variant = {"attention": "negative_scale=no", "multi_head": "gqa=no", "unfused": "gqa=no"}[variant]
        self.limits = f"scores=bias zero_extents=no {of_variant}"
        # In f16 query and key are each multiplied by the root of the scale, and rounded; so are scores and biased scores.
        self.numerics = "" if dtype == "f32" else (
            "weight.normalised=yes score.prescale.roundoff=0x1p-10 score.prescale.underflow=0x1p-24 "
            "score.stored.roundoff=0x1p-10 score.stored.underflow=0x1p-24")
        rows = "zero" if variant == "attention" else "nan"
        self.conventions = f"outputs=out empty_rows={rows} hidden_nonfinite=propagates"

    def forward(self, call):
        causal = call.is_square_causal and self.variant != "unfused" and call.bias is None
        added = None if causal else self.added(call)
        scale = call.scale
        session = session_of(self.variant, self.kind, scale, causal, added is not None, call.heads, call.threads)
        parts = (call.query, call.key, call.value)
        inputs = dict(zip(("query", "key", "value"), map(merged, parts) if self.variant == "multi_head" else parts))
        if added is not None:
            inputs["added"] = added
        out = session.run(None, inputs)[0]
        if self.variant == "multi_head":
            out = out.reshape(call.batch, call.queries, call.heads, call.value_dim).swapaxes(1, 2)
        return {"out": out}

    @staticmethod
    def added(call):
        if call.is_full and call.bias is None:
            return None
        shape = (call.batch, call.heads, call.queries, call.keys)
        bias = numpy.zeros(shape, call.query.dtype) if call.bias is None else numpy.broadcast_to(call.bias, shape)
        if bias.dtype != call.query.dtype:
            raise Refused("a bias is of the format of the query")
        bias = bias.copy()
        if call.mask is not None:
            bias[~call.mask] = -numpy.inf
        return bias
