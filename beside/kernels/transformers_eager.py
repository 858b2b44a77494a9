# SPDX-License-Identifier: Apache-2.0
"""transformers' attention without a kernel (`attn_implementation="eager"`), as Llama has it, forward and backward."""
import types

import torch
from transformers.models.llama.modeling_llama import eager_attention_forward

from kernels.torch_tensors import array, gradients, tensor

PACKAGE = "transformers"
VARIANTS = ("llama",)


class Kernel:
    limits = "scores=bias"

    def __init__(self, variant, dtype, device):
        self.device = device
        # Hidden scores have the lowest number of the format added (masking_utils.eager_mask).
        self.conventions = "outputs=out hidden_nonfinite=propagates empty_rows=mean"
        # Products, scaled products and what is added to them are each rounded: three roundings. So are dP, dS, scaled dS,
        # and what each head gives to dK and dV before the heads of a group are added.
        rounded = {"f32": "", "f16": "score.stored.roundoff=0x1.8p-10 score.stored.underflow=0x1.8p-24 "
                                     "gradient.stored.roundoff=0x1p-11 gradient.stored.underflow=0x1p-25 "
                                     "gradient.cast.roundoff=0x1p-10 gradient.cast.underflow=0x1p-24 "
                                     "gradient.part.roundoff=0x1p-11 gradient.part.underflow=0x1p-25 "
                                     "gradient.parts=1024 gradient.depth=1",
                   "bf16": "score.stored.roundoff=0x1.8p-7 score.stored.underflow=0x1p-125 "
                           "gradient.stored.roundoff=0x1p-8 gradient.stored.underflow=0x1p-126 "
                           "gradient.cast.roundoff=0x1p-7 gradient.cast.underflow=0x1p-125 "
                           "gradient.part.roundoff=0x1p-8 gradient.part.underflow=0x1p-126 "
                           "gradient.parts=1024 gradient.depth=1"}[dtype]
        self.numerics = f"weight.normalised=yes {rounded}"

    def inputs(self, call):
        call.refuse_rows_emptied_by_bias()
        torch.set_num_threads(call.threads)
        parts = [call.query, call.key, call.value] + ([] if call.bias is None else [call.bias])
        return [tensor(part, self.device) for part in parts]

    def attend(self, call, query, key, value, bias=None):
        added = bias
        if not call.is_full:
            mask = tensor(call.mask, self.device)
            lowest = torch.tensor(torch.finfo(query.dtype).min, dtype=query.dtype, device=self.device)
            added = torch.where(mask, torch.zeros_like(lowest) if bias is None else bias, lowest)
        module = types.SimpleNamespace(num_key_value_groups=call.group, training=False)
        out, _ = eager_attention_forward(module, query, key, value, added, call.scale)
        return out.transpose(1, 2)

    def forward(self, call):
        with torch.no_grad():
            return {"out": array(self.attend(call, *self.inputs(call)))}

    def backward(self, call):
        inputs = [part.requires_grad_() for part in self.inputs(call)]
        return gradients(self.attend(call, *inputs), inputs, tensor(call.dout, self.device))
