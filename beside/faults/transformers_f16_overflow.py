# SPDX-License-Identifier: Apache-2.0
"""transformers' eager attention, f16: q.k overflows before it is scaled: finite inputs answer NaN."""
import types

import torch
import transformers
from transformers.models.llama.modeling_llama import eager_attention_forward

row = torch.full((1, 1, 2, 128), 24.0, dtype=torch.float16)  # q.k is 73,728; scaled 6,517
module = types.SimpleNamespace(num_key_value_groups=1, training=False)
out, _ = eager_attention_forward(module, row, row, torch.ones_like(row), None, 128**-0.5)
print(transformers.__version__, "answers", out[0, 0, 0, 0].item())
raise SystemExit(0 if out.isnan().any() else 1)
