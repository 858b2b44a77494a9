# SPDX-License-Identifier: Apache-2.0
"""torch's flash attention on a CPU: log_sum_exp of a row without keys is 0; it should be -inf."""
import torch

one = torch.ones(1, 1, 1, 8)
hidden = torch.full((1, 1, 1, 1), -torch.inf)
out, log_sum_exp = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(one, one, one, attn_mask=hidden)
print(torch.__version__, "out", out[0, 0, 0, 0].item(), "log_sum_exp", log_sum_exp.item())
raise SystemExit(0 if log_sum_exp.item() == 0 else 1)
