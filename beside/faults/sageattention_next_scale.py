# SPDX-License-Identifier: Apache-2.0
"""SageAttention 1.0.6, causal: a tile of queries is two of keys, and of one that is not there the next head's scale is read."""
import importlib.metadata
import os

os.environ["TRITON_INTERPRET"] = "1"

import torch  # noqa: E402
from sageattention import core  # noqa: E402

ones = torch.ones((1, 2, 64, 64), dtype=torch.float16)
scale = torch.ones((1, 2, 1, 1))
scale[0, 1] = torch.nan
out = core.attn_true(ones.char(), ones.char(), ones, torch.ones((1, 2, 1, 1)), scale, output_dtype=torch.float16)
print(importlib.metadata.version("sageattention"), "answers", out[0, 0, 0, 0].item(), "in the head beside that of NaN")
raise SystemExit(0 if out[0, 0].isnan().all() else 1)
