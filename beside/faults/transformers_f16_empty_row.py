# SPDX-License-Identifier: Apache-2.0
"""transformers' eager attention, f16: the lowest number plus a negative score is -inf: NaN without keys."""
import types

import torch
import transformers
from transformers.models.llama.modeling_llama import eager_attention_forward

query = torch.full((1, 1, 1, 64), 4.0, dtype=torch.float16)
key = -query  # scores of -128
hidden = torch.full((1, 1, 1, 1), torch.finfo(torch.float16).min, dtype=torch.float16)
module = types.SimpleNamespace(num_key_value_groups=1, training=False)
out, _ = eager_attention_forward(module, query, key, torch.ones_like(key), hidden, 64**-0.5)
print(transformers.__version__, "answers", out[0, 0, 0, 0].item(), "where the mean of the values is 1")
raise SystemExit(0 if out.isnan().any() else 1)
