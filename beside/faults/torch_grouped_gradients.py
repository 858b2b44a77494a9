# SPDX-License-Identifier: Apache-2.0
"""torch, bf16, on a CPU: dV of heads that share keys is rounded after every head."""
import torch

query = torch.zeros(1, 5, 1, 8, dtype=torch.bfloat16)
key, value = (torch.zeros(1, 1, 1, 8, dtype=torch.bfloat16, requires_grad=True) for _ in range(2))
out = torch.nn.functional.scaled_dot_product_attention(query, key, value, enable_gqa=True)
out.backward(torch.tensor([256, 1, 1, 1, 1], dtype=torch.bfloat16).view(1, 5, 1, 1).expand_as(out))
print(torch.__version__, "dV:", value.grad.flatten()[0].item(), " the sum of dO: 260")
raise SystemExit(0 if value.grad.flatten()[0] == 256 else 1)
