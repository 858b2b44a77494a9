# SPDX-License-Identifier: Apache-2.0
"""ringattention: the ring of its authors in JAX, on processors that pretend to be several devices."""
import os
import sys
import types

import numpy

import dealing
from pipe import Refused

PACKAGE = "ringattention"
LIMITS = "masks=full+band gqa=no"
# One running maximum over all keys, in the order in which they come by; nothing is merged afterwards.
NUMERICS = "weight.visits=any"
# How many rows of a shard are computed at a time; 0 is all.
DEALING = {"whole": dealing.blocks, "chunks_of_1": dealing.blocks, "chunks_of_2": dealing.blocks}
CHUNKS = {"whole": 0, "chunks_of_1": 1, "chunks_of_2": 2}


def refuse(variant, mesh, causal):
    if mesh.ulysses > 1:
        raise Refused("is a ring")


def library():
    """The module of the ring; the package's first lines ask for a module that JAX no longer has."""
    package = types.ModuleType("ringattention")
    package.__path__ = [os.path.join(folder, "ringattention") for folder in sys.path]
    sys.modules["ringattention"] = package
    from ringattention import ringattention_jax

    return ringattention_jax


class Team:
    """All ranks at once: JAX gives every device its shard."""

    def __init__(self, system_name, variant, mesh):
        os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS=f"--xla_force_host_platform_device_count={mesh.ranks}")
        import jax

        self.jax, self.ring, self.chunk, self.mesh = jax, library(), CHUNKS[variant], mesh
        self.devices = jax.make_mesh((mesh.ranks,), ("ring",), axis_types=(jax.sharding.AxisType.Auto,))
        self.compiled = {}

    def ask(self, requests):
        requests = list(requests)
        query, key, value = (numpy.concatenate(parts, axis=1) for parts in zip(*(one["parts"] for one in requests)))
        causal, scale = requests[0]["causal"], requests[0]["scale"]
        if not numpy.isclose(scale, query.shape[-1] ** -0.5, rtol=1e-6):
            raise Refused("has no scale but one over the root of dim")
        douts = [one["dout"] for one in requests]
        if douts[0] is None:
            out, log_sum_exp = self.function("forward", query, key, causal)(query, key, value)
            return list(zip(self.shards(out), self.shards(log_sum_exp)))
        gradients = self.function("backward", query, key, causal)(query, key, value, numpy.concatenate(douts, axis=1))
        return list(zip(*(self.shards(gradient) for gradient in gradients)))

    def shards(self, whole):
        return numpy.split(numpy.asarray(whole), self.mesh.ranks, axis=1)

    def function(self, call, query, key, causal):
        """forward or backward of these shapes, compiled."""
        jax, ring = self.jax, self.ring
        rows, keys = query.shape[1] // self.mesh.ranks, key.shape[1] // self.mesh.ranks
        if self.chunk and (rows % self.chunk or keys % self.chunk):
            raise Refused(f"a shard's rows are no multiple of {self.chunk}")
        fixed = dict(causal_block_size=1 if causal else None, query_chunk_size=self.chunk or rows,
                     key_chunk_size=self.chunk or keys, deterministic=True, dropout_rng=None, attn_pdrop=0.0,
                     dtype=jax.numpy.float32, policy=jax.checkpoint_policies.nothing_saveable,
                     precision=jax.lax.Precision.HIGHEST, prevent_cse=True)

        def attend(query, key, value):
            return ring.ring_attention(query, key, value, None, None, None, "ring", True, fixed)

        def forward(query, key, value):
            out, kept = ring._ring_attention_fwd(query, key, value, None, None, None, "ring", True, fixed)
            denominator, largest = kept[-2:]
            return out, (largest + jax.numpy.log(denominator)).transpose(0, 2, 1)

        def backward(query, key, value, dout):
            return jax.vjp(attend, query, key, value)[1](dout)

        rows_dealt = jax.sharding.PartitionSpec(None, "ring")
        if call not in self.compiled:
            self.compiled[call] = {}
        known = self.compiled[call]
        shapes = (query.shape, key.shape, causal)
        if shapes not in known:
            mapped = jax.shard_map({"forward": forward, "backward": backward}[call], mesh=self.devices,
                                   in_specs=rows_dealt, out_specs=rows_dealt, check_vma=False)
            known[shapes] = jax.jit(mapped)
        return known[shapes]
