# SPDX-License-Identifier: Apache-2.0
"""transformers' eager attention: hidden keys weigh as much as visible ones with a bias of the lowest number."""
import types

import torch
import transformers
from transformers.models.llama.modeling_llama import eager_attention_forward

lowest = torch.finfo(torch.float32).min
row, value = torch.ones(1, 1, 1, 8), torch.tensor([1.0, 3.0]).reshape(1, 1, 2, 1).expand(1, 1, 2, 8)
added = torch.tensor([lowest, lowest]).reshape(1, 1, 1, 2)  # the bias of the first key; the second one is hidden
module = types.SimpleNamespace(num_key_value_groups=1, training=False)
out, _ = eager_attention_forward(module, row, torch.ones(1, 1, 2, 8), value, added, 8**-0.5)
print(transformers.__version__, "answers", out[0, 0, 0, 0].item(), "where the only visible value is 1")
raise SystemExit(0 if out[0, 0, 0, 0].item() == 2 else 1)
