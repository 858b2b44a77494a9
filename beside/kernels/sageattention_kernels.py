# SPDX-License-Identifier: Apache-2.0
"""SageAttention 2.2's own kernels on a GPU: Triton's, and those of CUDA for sm80 and sm90, by rows of a thread or a warp."""
import torch
from sageattention import core

from kernels.torch_tensors import array, tensor
from pipe import Refused

PACKAGE = "sageattention"
OURS = "sage_qk_int8_pv_"
# Each by the kernel of attestone that computes like it, and what the function is told.
KERNELS = {
    "fp16_triton": ("fp16_triton", {}),
    "fp16_cuda": ("fp16_cuda", {"pv_accum_dtype": "fp32"}),
    "fp16_cuda_warp": ("fp16_cuda:granularity=per_warp", {"pv_accum_dtype": "fp32", "qk_quant_gran": "per_warp"}),
    "fp16_cuda_fp16": ("fp16_cuda:accumulator=fp16", {"pv_accum_dtype": "fp16"}),
    "fp16_cuda_both": ("fp16_cuda:accumulator=fp16+fp32", {"pv_accum_dtype": "fp16+fp32"}),
    "fp8_cuda_sm90": ("fp8_cuda_sm90", {"pv_accum_dtype": "fp32+fp32"}),
    "fp8_cuda_sm90_warp": ("fp8_cuda_sm90:granularity=per_warp",
                           {"pv_accum_dtype": "fp32+fp32", "qk_quant_gran": "per_warp"}),
}
VARIANTS = tuple(KERNELS)


class Kernel:
    limits = "scores= masks=full+band lengths=no value_dim=no zero_extents=no negative_scale=no max_dim=128"
    conventions = "hidden_nonfinite=propagates"

    def __init__(self, variant, dtype, device):
        if device != "cuda" or dtype == "f32":
            raise ValueError("computes on a GPU, in f16 and bf16")
        ours, self.told = KERNELS[variant]
        # ex2.approx errs by 2 ulp; a mean adds up in f32, by threads and then by a tree.
        self.numerics = f"like={OURS}{ours} exp_error=0x1p-22 score.key_codes.mean_error=2e-6"
        self.function = getattr(core, f"sageattn_qk_int8_pv_{ours.split(':')[0]}")

    def forward(self, call):
        call.refuse_masks_but_causal()
        if call.is_empty:
            raise Refused("nothing is empty")
        query, key, value = (tensor(part, "cuda") for part in (call.query, call.key, call.value))
        out, log_sum_exp = self.function(query, key, value, is_causal=not call.is_full, sm_scale=call.scale,
                                         return_lse=True, **self.told)
        return {"out": array(out), "log_sum_exp": array(log_sum_exp.float())}
