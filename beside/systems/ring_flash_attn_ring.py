# SPDX-License-Identifier: Apache-2.0
"""ring-flash-attn: the ring, and the rings for causal masks that deal chunks from both ends or every R-th row."""
import sys
import types

import dealing
import local_kernels
from pipe import Refused

PACKAGE = "ring-flash-attn"
LIMITS = "masks=full+band"
DEALING = {"basic": dealing.blocks, "zigzag": dealing.zigzag, "striped": dealing.striped}
FUNCTIONS = {"basic": "ring_flash_attn_func", "zigzag": "zigzag_ring_flash_attn_func", "striped": "stripe_flash_attn_func"}


def refuse(variant, mesh, causal):
    if mesh.ulysses > 1:
        raise Refused("is a ring")
    if variant != "basic" and not causal:
        raise Refused(f"{variant} is for causal masks alone")


def load():
    local_kernels.install_flash_attn()
    # What makes transformers call the ring; nothing here is about transformers.
    adapters = types.ModuleType("ring_flash_attn.adapters")
    adapters.substitute_hf_flash_attn = adapters.update_ring_flash_attn_params = None
    sys.modules["ring_flash_attn.adapters"] = adapters
    import ring_flash_attn

    return ring_flash_attn


class System:
    def __init__(self, mesh, rank, variant):
        self.ring = getattr(load(), FUNCTIONS[variant])

    def attend(self, query, key, value, causal, scale):
        out, log_sum_exp, _ = self.ring(query, key, value, causal=causal, softmax_scale=scale, return_attn_probs=True)
        return out, log_sum_exp.transpose(1, 2)
