# SPDX-License-Identifier: Apache-2.0
"""torch's product of matrices in bf16 on a processor with AMX: what is not finite in one row makes NaN of the row before."""
import torch

rows = torch.ones(32, 33, dtype=torch.bfloat16)
rows[5] = torch.nan
answer = rows @ torch.ones(33, 64, dtype=torch.bfloat16)
print(torch.__version__, "row 4 of ones:", answer[4, 0].item(), " row 3:", answer[3, 0].item())
raise SystemExit(0 if answer[4].isnan().any() else 1)
