# SPDX-License-Identifier: Apache-2.0
"""diffusers' context parallel: its ring, Ulysses and both together, through the dispatcher that its models call."""
import torch
from torch.distributed.device_mesh import init_device_mesh

import dealing
import local_kernels

PACKAGE = "diffusers"
LIMITS = "masks=full gqa=no"
DEALING = {"flash": dealing.blocks, "_native_flash": dealing.blocks}


def refuse(variant, mesh, causal):
    """Everything within the limits is carried."""


def load():
    local_kernels.install_aten()
    from diffusers.models import _modeling_parallel, attention_dispatch

    # What the dispatcher imports from flash_attn where that is installed.
    attention_dispatch._wrapped_flash_attn_forward = local_kernels.flash_attn_forward
    attention_dispatch._wrapped_flash_attn_backward = local_kernels.flash_attn_backward
    return attention_dispatch, _modeling_parallel


class System:
    def __init__(self, mesh, rank, variant):
        dispatch, parallel = load()
        context = parallel.ContextParallelConfig(ring_degree=mesh.ring, ulysses_degree=mesh.ulysses)
        self.config = parallel.ParallelConfig(context_parallel_config=context)
        devices = init_device_mesh("cpu", context.mesh_shape, mesh_dim_names=context.mesh_dim_names)
        self.config.setup(rank, mesh.ranks, torch.device("cpu"), mesh=devices)
        self.attention = dispatch.dispatch_attention_fn
        self.backend = variant

    def attend(self, query, key, value, causal, scale):
        return self.attention(query, key, value, is_causal=causal, scale=scale, backend=self.backend,
                              parallel_config=self.config, attention_kwargs={"return_lse": True})
