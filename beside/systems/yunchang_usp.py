# SPDX-License-Identifier: Apache-2.0
"""yunchang's LongContextAttention (USP): Ulysses within groups and a ring between them, in three placements."""
import dealing
import local_kernels
from pipe import Refused

PACKAGE = "yunchang"
LIMITS = "masks=full+band"
DEALING = {"basic": dealing.blocks, "zigzag": dealing.zigzag, "strip": dealing.striped, "torch_flash": dealing.blocks,
           "torch_math": dealing.blocks}

# The library raises "Not implemented backward for PyTorch attention types".
FORWARD_ALONE = ("torch_flash", "torch_math")


def refuse(variant, mesh, causal):
    if variant in ("zigzag", "strip") and not causal:
        raise Refused(f"{variant} is for causal masks alone")


def load():
    local_kernels.install_flash_attn()
    local_kernels.install_aten()
    import yunchang

    return yunchang


class System:
    def __init__(self, mesh, rank, variant):
        yunchang = load()
        yunchang.set_seq_parallel_pg(mesh.ulysses, mesh.ring, rank, mesh.ranks)
        of_torch = variant.startswith("torch")
        self.layer = yunchang.LongContextAttention(ring_impl_type="basic" if of_torch else variant,
                                                   attn_type=yunchang.kernels.AttnType(variant if of_torch else "fa"))
        ring = self.layer.ring_attn_fn

        def watched_ring(*parts, **how):
            answer = ring(*parts, **{**how, "return_attn_probs": True})
            self.log_sum_exp = answer[1].detach()
            return answer

        # The layer drops the ring's log_sum_exp.
        self.layer.ring_attn_fn = watched_ring

    def attend(self, query, key, value, causal, scale):
        from yunchang.comm.all_to_all import SeqAllToAll4D

        out = self.layer(query, key, value, causal=causal, softmax_scale=scale)
        rows_of_heads = self.log_sum_exp.transpose(1, 2).unsqueeze(-1).contiguous()  # [batch, rows, heads, 1]
        log_sum_exp = SeqAllToAll4D.apply(self.layer.ulysses_pg, rows_of_heads, 1, 2, False)
        return out, log_sum_exp.squeeze(-1)
