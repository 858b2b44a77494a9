# SPDX-License-Identifier: Apache-2.0
"""torch's attention without keys: an infinity makes NaN of other sequences, large finite numbers in f16 of all."""
import torch

attend = torch.nn.functional.scaled_dot_product_attention
query, none = torch.ones(2, 1, 1, 8), torch.ones(2, 1, 0, 8)
query[0, 0, 0, 0] = torch.inf
other_sequence = attend(query, none, none)[1]
ones = torch.ones(1, 1, 1024, 128, dtype=torch.float16)
finite = attend(ones, ones[:, :, :0], ones[:, :, :0])
print(torch.__version__, "other sequence:", other_sequence[0, 0, 0].item(), " ones in f16:", finite[0, 0, 0, 0].item())
raise SystemExit(0 if other_sequence.isnan().any() and finite.isnan().any() else 1)
