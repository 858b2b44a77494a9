# SPDX-License-Identifier: Apache-2.0
"""OpenVINO's ScaledDotProductAttention on the CPU, in f32."""
import numpy
import openvino
from openvino import opset13

from prepared import Prepared


def prepare(_, problem):
    problem.refuse("no backward pass", problem.backward)
    problem.refuse("asked in f32 only", problem.dtype != "f32")
    problem.refuse("asked with as many kv heads as heads only", problem.heads != problem.kv_heads)
    problem.refuse("its causal mask is another one where queries and keys differ in number",
                   problem.is_causal and problem.queries != problem.keys)
    arrays = [problem.query, problem.key, problem.value]
    parameters = [opset13.parameter(array.shape, numpy.float32) for array in arrays]
    mask = opset13.constant(problem.allowed()) if problem.mask == "window" else None
    scale = opset13.constant(numpy.float32(problem.scale))
    if mask is not None:
        out = opset13.scaled_dot_product_attention(*parameters, mask, scale)
    else:
        every = opset13.constant(numpy.zeros((1, 1), numpy.float32))
        out = (opset13.scaled_dot_product_attention(*parameters, causal=problem.is_causal)
               if problem.scale == problem.dim ** -0.5
               else opset13.scaled_dot_product_attention(*parameters, every, scale, causal=problem.is_causal))
    settings = {"INFERENCE_NUM_THREADS": problem.threads, "INFERENCE_PRECISION_HINT": "f32",
                "PERFORMANCE_HINT": "LATENCY"}
    request = openvino.Core().compile_model(openvino.Model([out], parameters), "CPU", settings).create_infer_request()
    for place, array in enumerate(arrays):
        request.set_input_tensor(place, openvino.Tensor(array, shared_memory=True))
    notes = [f"openvino {openvino.__version__}, " + ", ".join(f"{name}={value}" for name, value in settings.items())]
    return Prepared(request.infer, lambda _: request.get_output_tensor().data.copy(), notes)
