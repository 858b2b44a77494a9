# SPDX-License-Identifier: Apache-2.0
"""torch's flash attention on a CPU, f32: the bits of the answer depend on the number of threads."""
import torch

torch.manual_seed(1)
differ = 0
for heads in (1, 4):  # by which processors differ
    query, key, value = torch.randn(1, heads, 1, 64), torch.randn(1, heads, 257, 64), torch.randn(1, heads, 257, 64)
    answers = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        answers.append(torch.nn.functional.scaled_dot_product_attention(query, key, value))
    differ += int((answers[0] != answers[1]).sum())
print(torch.__version__, "elements that differ:", differ)
raise SystemExit(0 if differ else 1)
