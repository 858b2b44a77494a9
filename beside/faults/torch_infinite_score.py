# SPDX-License-Identifier: Apache-2.0
"""torch's flash attention on a CPU, bf16: finite inputs whose q.k overflows answer 0, by the math backend NaN."""
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

largest = torch.finfo(torch.bfloat16).max
query = torch.full((1, 1, 1, 8), largest, dtype=torch.bfloat16)
key = torch.zeros(1, 1, 16, 8, dtype=torch.bfloat16)
key[0, 0, 0] = largest
value = torch.ones(1, 1, 16, 8, dtype=torch.bfloat16)
answers = {}
for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.MATH):
    with sdpa_kernel(backend):
        answers[backend.name] = torch.nn.functional.scaled_dot_product_attention(query, key, value)[0, 0, 0, 0].item()
print(torch.__version__, answers)
raise SystemExit(0 if answers["FLASH_ATTENTION"] == 0 else 1)
