# SPDX-License-Identifier: Apache-2.0
"""torch's flash attention on a CPU, bf16: the vector exponential of 0 is not 1, and log_sum_exp is off."""
import math

import torch

zeros = torch.zeros(1, 1, 32, 16, dtype=torch.bfloat16)
_, log_sum_exp = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(zeros, zeros, zeros)
error = log_sum_exp[0, 0, 0].item() - math.log(32)
print(torch.__version__, "log_sum_exp errs by", error)
raise SystemExit(0 if abs(error) > 1e-5 else 1)
