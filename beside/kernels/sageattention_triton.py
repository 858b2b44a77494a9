# SPDX-License-Identifier: Apache-2.0
"""SageAttention 1.0.6 from PyPI, whose Triton kernels run on a CPU under Triton's interpreter: dims 64, 96 and 128."""
import os

os.environ["TRITON_INTERPRET"] = "1"  # which Triton asks as it is imported

from sageattention import core  # noqa: E402

from kernels.torch_tensors import array, tensor  # noqa: E402
from pipe import Refused  # noqa: E402

PACKAGE = "sageattention"
VARIANTS = ("block",)


class Kernel:
    limits = ("scores= masks=full+band lengths=no value_dim=no zero_extents=no negative_scale=no "
              "max_dim=128")
    conventions = "outputs=out hidden_nonfinite=propagates"
    # torch adds a mean up in f32.
    numerics = "like=sage_qk_int8_pv_fp16_triton score.key_codes.mean_error=2e-6"

    def __init__(self, variant, dtype, device):
        if dtype == "f32":
            raise ValueError("computes in f16 and bf16")

    def forward(self, call):
        """core.sageattn, which asks for tensors of a GPU first."""
        call.refuse_masks_but_causal()
        if call.is_empty or call.dim not in (64, 96, 128):
            raise Refused("nothing is empty, and dim is 64, 96 or 128")
        query, key, value = (tensor(part, "cpu") for part in (call.query, call.key, call.value))
        key = key - key.mean(dim=2, keepdim=True)
        is_96 = call.dim == 96
        quantize = core.per_block_int8_hd96 if is_96 else core.per_block_int8
        attend = {(False, False): core.attn_false, (False, True): core.attn_true,
                  (True, False): core.attn_h96_false, (True, True): core.attn_h96_true}[is_96, not call.is_full]
        codes_of_query, query_scale, codes_of_key, key_scale = quantize(query, key, sm_scale=call.scale)
        out = attend(codes_of_query, codes_of_key, value.half(), query_scale, key_scale, output_dtype=query.dtype)
        return {"out": array(out)}
