// SPDX-License-Identifier: Apache-2.0
// The context parallelism of diffusers, commit 58eb52c (models/attention_dispatch.py, models/_modeling_parallel.py).
#include "backends/systems/system_method.hpp"

namespace attestone::inline backends {
namespace {

/// Adds the limits common to all: causal and shared kv heads are refused, biases would be masks, and shards are
/// reshaped into equal ones.
std::vector<Limit> with_those_of_all(std::vector<Limit> limits) {
  limits.insert(limits.end(), {full_mask_only, own_kv_heads, values_as_wide_as_keys, plain_scores, no_dropout,
                               equal_heads, equal_shards, ulysses_innermost});
  return limits;
}

const RegisteredSystem registered({
    {.name = "diffusers/ring",
     .ours = "ring:hops=first:messages=fused:parts=output",
     .summary = "ring attention of diffusers: all keys are gathered, then attended to shard by shard",
     .limits = with_those_of_all({several_places, full_sequences_only}),
     .meshes = {"ring:2", "ring:4", "ring:3+batch:2"}},
    {.name = "diffusers/ulysses",
     .ours = "ulysses",
     .summary = "Ulysses attention of diffusers",
     .limits = with_those_of_all({several_members, self_attention_backward}),
     .meshes = {"ulysses:2", "ulysses:4", "ulysses:2+batch:2"}},
    {.name = "diffusers/unified",
     .ours = "two_dimensional:hops=first:messages=fused:parts=output",
     .summary = "Ulysses around the ring attention of diffusers",
     .limits = with_those_of_all({several_places, several_members, full_sequences_only}),
     .meshes = {"ulysses:2+ring:2", "ulysses:2+ring:3", "ulysses:2+ring:2+batch:2"}},
});

}  // namespace
}  // namespace attestone::inline backends
