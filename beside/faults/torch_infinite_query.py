# SPDX-License-Identifier: Apache-2.0
"""torch's attention on a CPU: a row of hidden keys answers 0, but NaN if its query is infinite."""
import torch

query, key = torch.full((1, 1, 1, 8), torch.inf), torch.ones(1, 1, 32, 8)
mask = torch.full((1, 1, 1, 32), -torch.inf)
answers = [torch.nn.functional.scaled_dot_product_attention(rows, key, key, attn_mask=mask)[0, 0, 0, 0].item()
           for rows in (key[:, :, :1], query)]
print(torch.__version__, "finite query:", answers[0], " infinite query:", answers[1])
raise SystemExit(0 if answers[0] == 0 and answers[1] != answers[1] else 1)
