# SPDX-License-Identifier: Apache-2.0
"""SageAttention 2.2, sm80: rows of V behind the last key are whatever shared memory holds, times a weight of 0.

load_global_to_share copies with SharedMemFillMode::kNoFill, so what the call before left there stays: NaN times 0 is NaN.
"""
import torch
from sageattention import core


def attend(keys, filled_with, heads):
    query = torch.ones(1, heads, 128, 128, dtype=torch.float16, device="cuda")
    key = torch.ones(1, heads, keys, 128, dtype=torch.float16, device="cuda")
    return core.sageattn_qk_int8_pv_fp16_cuda(query, key, torch.full_like(key, filled_with))


attend(64, float("nan"), heads=1024)  # someone else's call
out = attend(1, 1.0, heads=1024)
print("O of one key whose values are 1:", out.isnan().sum().item(), "of", out.numel(), "elements are NaN")
raise SystemExit(0 if out.isnan().any() else 1)
