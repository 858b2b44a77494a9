# SPDX-License-Identifier: Apache-2.0
"""torch's flash attention on a CPU: with a negative scale is_causal hides the wrong keys."""
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

torch.manual_seed(1)
query, key, value = torch.randn(3, 1, 1, 16, 32).unbind()
answers = []
for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.MATH):
    with sdpa_kernel(backend):
        answers.append(torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True, scale=-0.25))
first = [answer[0, 0, 0, 0].item() for answer in answers]
print(torch.__version__, "flash", first[0], "math", first[1], "value of the only visible key", value[0, 0, 0, 0].item())
raise SystemExit(1 if abs(first[0] - value[0, 0, 0, 0].item()) < 0.01 else 0)  # NaN is none of it
