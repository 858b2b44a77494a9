# SPDX-License-Identifier: Apache-2.0
"""SageAttention 1.0.6 in bf16: V of a hidden key that exceeds f16 becomes infinite, and 0 times that is NaN."""
import importlib.metadata
import os

os.environ["TRITON_INTERPRET"] = "1"

import torch  # noqa: E402
from sageattention import core  # noqa: E402

query = torch.ones((1, 1, 2, 64), dtype=torch.bfloat16)
value = torch.ones_like(query)
value[0, 0, 1] = 2.0 ** 17
codes, scale, codes_of_key, key_scale = core.per_block_int8(query, query)
out = core.attn_true(codes, codes_of_key, value.half(), scale, key_scale, output_dtype=torch.bfloat16)
print(importlib.metadata.version("sageattention"), "answers", out[0, 0, 0, 0].item(), "where the only visible value is 1")
raise SystemExit(0 if out[0, 0, 0].isnan().all() else 1)
