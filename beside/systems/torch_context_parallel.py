# SPDX-License-Identifier: Apache-2.0
"""torch's context parallel: the ring that its tensors spread over devices call in place of scaled_dot_product_attention.

On CPUs the dispatcher takes another operator and never comes here, so the ring is called as the dispatcher calls it.
"""
import torch
from torch.distributed.device_mesh import init_device_mesh

import dealing
import local_kernels
from pipe import Refused

PACKAGE = "torch"
LIMITS = "masks=full+band"
DEALING = {"allgather": dealing.blocks, "alltoall": dealing.blocks, "balanced": dealing.zigzag}


def refuse(variant, mesh, causal):
    if mesh.ulysses > 1:
        raise Refused("is a ring")
    if variant == "balanced" and not causal:
        raise Refused("a balanced load is for causal masks alone")


def load():
    local_kernels.install_aten()
    from torch.distributed.tensor.experimental._context_parallel import _attention

    return _attention


class Ring(torch.autograd.Function):
    """What autograd does with the two operators."""

    @staticmethod
    def forward(ctx, attention, mesh, query, key, value, causal, scale):
        out, log_sum_exp, *rest = attention._scaled_dot_product_ring_flash_attention(
            mesh, query, key, value, is_causal=causal, scale=scale)
        ctx.save_for_backward(query, key, value, out, log_sum_exp)
        ctx.attention, ctx.mesh, ctx.causal, ctx.scale, ctx.rest = attention, mesh, causal, scale, rest
        return out, log_sum_exp

    @staticmethod
    def backward(ctx, dout, _):
        cum_seq_q, cum_seq_k, max_q, max_k, philox_seed, philox_offset, *_ = ctx.rest
        gradients = ctx.attention._scaled_dot_product_ring_flash_attention_backward(
            ctx.mesh, dout.contiguous(), *ctx.saved_tensors, cum_seq_q, cum_seq_k, max_q, max_k, 0.0, ctx.causal,
            philox_seed, philox_offset, scale=ctx.scale)
        return None, None, *gradients[:3], None, None


class System:
    def __init__(self, mesh, rank, variant):
        _attention = load()
        _attention.set_rotate_method("alltoall" if variant == "alltoall" else "allgather")
        _attention._cp_options.enable_load_balance = variant == "balanced"
        self.attention, self.mesh = _attention, init_device_mesh("cpu", (mesh.ring,))

    def attend(self, query, key, value, causal, scale):
        parts = (part.transpose(1, 2) for part in (query, key, value))
        out, log_sum_exp = Ring.apply(self.attention, self.mesh, *parts, causal, scale)
        return out.transpose(1, 2), log_sum_exp.transpose(1, 2)
