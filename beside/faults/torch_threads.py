# SPDX-License-Identifier: Apache-2.0
"""torch's flash attention on a CPU, f32: the bits of the answer depend on the number of threads."""
import torch

torch.manual_seed(1)
query, key, value = torch.randn(1, 4, 1, 64), torch.randn(1, 4, 257, 64), torch.randn(1, 4, 257, 64)
answers = []
for threads in (1, 2):
    torch.set_num_threads(threads)
    answers.append(torch.nn.functional.scaled_dot_product_attention(query, key, value))
print(torch.__version__, "elements that differ:", int((answers[0] != answers[1]).sum()))
raise SystemExit(1 if torch.equal(*answers) else 0)
