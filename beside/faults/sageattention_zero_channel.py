# SPDX-License-Identifier: Apache-2.0
"""SageAttention 2.2, sm89 and sm90: a channel of V that holds nothing but 0 becomes NaN (fused.cu: 0 times 448 / 0)."""
import torch
from sageattention import core

query, key, value = (torch.randn(1, 1, 128, 64, dtype=torch.float16, device="cuda") for _ in range(3))
value[..., 5] = 0
out = core.sageattn_qk_int8_pv_fp8_cuda_sm90(query, key, value)
print("channel 5 of O is", out[0, 0, 0, 5].item(), "and should be 0;", out.isnan().sum().item(), "elements are NaN")
raise SystemExit(0 if out[..., 5].isnan().all() else 1)
