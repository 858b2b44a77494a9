# SPDX-License-Identifier: Apache-2.0
"""SageAttention 2.2's own kernels on a GPU: Triton's, and those of CUDA for sm80 and sm90, by threads or by warps."""
import torch
from sageattention import core

from kernels.torch_tensors import array, tensor
from pipe import Refused

PACKAGE = "sageattention"
OF_WARPS = {"qk_quant_gran": "per_warp"}
# Which kernel of attestone computes alike, with its settings, and what the function is told.
KERNELS = {
    "triton": ("fp16_triton", "", {}),
    "sm80": ("fp16_cuda", "", {"pv_accum_dtype": "fp32"}),
    "sm80_warp": ("fp16_cuda", ":granularity=per_warp", {"pv_accum_dtype": "fp32", **OF_WARPS}),
    "sm80_f16": ("fp16_cuda", ":accumulator=fp16", {"pv_accum_dtype": "fp16"}),
    "sm80_f16_and_f32": ("fp16_cuda", ":accumulator=fp16+fp32", {"pv_accum_dtype": "fp16+fp32"}),
    "sm90": ("fp8_cuda_sm90", "", {"pv_accum_dtype": "fp32+fp32"}),
    "sm90_warp": ("fp8_cuda_sm90", ":granularity=per_warp", {"pv_accum_dtype": "fp32+fp32", **OF_WARPS}),
}
VARIANTS = tuple(KERNELS)

# ex2.approx errs by 2 ulp, and so do the divisions that make scales and codes. torch adds a mean up in f32, by threads
# and then by a tree.
ON_A_DEVICE = ("exp_error=0x1p-22 score.key_codes.mean_error=2e-6 score.accumulator.roundoff=0x1p-20 "
               "score.query_codes.quotient_error=0x1p-21 score.key_codes.quotient_error=0x1p-21")
WITH_CODES_OF_VALUES = " value.codes.quotient_error=0x1p-21 output.accumulator.roundoff=0x1p-21"


class Kernel:
    limits = "scores= masks=full+band lengths=no value_dim=no zero_extents=no negative_scale=no max_dim=128"
    conventions = "hidden_nonfinite=propagates"

    def __init__(self, variant, dtype, device):
        if device != "cuda" or dtype == "f32":
            raise ValueError("computes on a GPU, in f16 and bf16")
        name, settings, self.told = KERNELS[variant]
        self.function = getattr(core, f"sageattn_qk_int8_pv_{name}")
        self.numerics = f"like=sage_qk_int8_pv_{name}{settings} {ON_A_DEVICE}"
        if "fp8" in name:
            self.numerics += WITH_CODES_OF_VALUES

    def forward(self, call):
        call.refuse_masks_but_causal()
        if call.is_empty:
            raise Refused("nothing is empty")
        query, key, value = (tensor(part, "cuda") for part in (call.query, call.key, call.value))
        out, log_sum_exp = self.function(query, key, value, is_causal=not call.is_full, sm_scale=call.scale,
                                         return_lse=True, **self.told)
        return {"out": array(out), "log_sum_exp": array(log_sum_exp.float())}
