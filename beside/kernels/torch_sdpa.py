# SPDX-License-Identifier: Apache-2.0
"""torch.nn.functional.scaled_dot_product_attention, forward and backward: the backend that it picks, or the unfused one."""
import contextlib

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from kernels.torch_tensors import array, gradients, tensor

PACKAGE = "torch"
VARIANTS = ("default", "math")


class Kernel:
    limits = "scores=bias"
    conventions = "outputs=out hidden_nonfinite=propagates"
    numerics = ""

    def __init__(self, variant, dtype, device):
        self.device = device
        self.backend = (lambda: sdpa_kernel(SDPBackend.MATH)) if variant == "math" else contextlib.nullcontext

    def inputs(self, call):
        torch.set_num_threads(call.threads)
        parts = [call.query, call.key, call.value] + ([] if call.bias is None else [call.bias])
        return [tensor(part, self.device) for part in parts]

    def attend(self, call, query, key, value, bias=None):
        mask = None if call.is_full or call.is_square_causal else tensor(call.mask, self.device)
        if bias is not None:
            # Beside a bias its flag for causal masks is refused.
            hidden = mask if not call.is_square_causal else tensor(call.mask, self.device)
            mask = bias.expand(call.batch, call.heads, call.queries, call.keys)
            mask = mask if hidden is None else mask.masked_fill(~hidden, -torch.inf)
        with self.backend():
            return scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=call.scale,
                                                is_causal=call.is_square_causal and bias is None,
                                                enable_gqa=call.group > 1)

    def forward(self, call):
        with torch.no_grad():
            return {"out": array(self.attend(call, *self.inputs(call)))}

    def backward(self, call):
        inputs = [part.requires_grad_() for part in self.inputs(call)]
        return gradients(self.attend(call, *inputs), inputs, tensor(call.dout, self.device))
