# SPDX-License-Identifier: Apache-2.0
"""PyTorch's scaled_dot_product_attention with the backend that is asked for, forward and backward."""
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from prepared import Prepared

FORMATS = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f64": torch.float64}


def prepare(name, problem):
    problem.refuse(f"has no format {problem.dtype}", problem.dtype not in FORMATS)
    problem.refuse("its causal mask is another one where queries and keys differ in number",
                   problem.is_causal and problem.queries != problem.keys)
    torch.set_num_threads(problem.threads)
    torch.set_num_interop_threads(1)
    backend = SDPBackend.FLASH_ATTENTION if name == "torch_flash" else SDPBackend.MATH
    inputs = [torch.from_numpy(part).to(FORMATS[problem.dtype]).requires_grad_(problem.backward)
              for part in (problem.query, problem.key, problem.value)]
    mask = torch.from_numpy(problem.allowed()) if problem.mask == "window" else None

    def forward():
        with sdpa_kernel(backend):
            return scaled_dot_product_attention(*inputs, attn_mask=mask, is_causal=problem.is_causal,
                                                scale=problem.scale, enable_gqa=problem.heads != problem.kv_heads)

    notes = [f"torch {torch.__version__} on {torch.get_num_threads()} threads, "
             f"{torch.backends.cpu.get_cpu_capability()}, oneDNN {'on' if torch.backends.mkldnn.enabled else 'off'}"]
    if not problem.backward:
        return Prepared(forward, lambda out: out.float().numpy(), notes)
    dout = torch.from_numpy(problem.dout).to(FORMATS[problem.dtype])

    def backward(out):
        torch.autograd.grad(out, inputs, dout)
        return out

    return Prepared(backward, lambda out: out.detach().float().numpy(), notes, before=lambda: (forward(),))
