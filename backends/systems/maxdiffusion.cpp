// SPDX-License-Identifier: Apache-2.0
// The distributed kernels of MaxDiffusion, commit 7cfb8801 (models/attention_flax.py,
// kernels/splash_attention/ring_attention_kernel.py).
#include "backends/systems/system_method.hpp"

namespace attestone::inline backends {
namespace {

/// Adds the limits of all: `heads` is one number, masks are of keys, and nothing is done to a score but scaling it.
std::vector<Limit> with_those_of_all(std::vector<Limit> limits) {
  limits.insert(limits.end(), {full_mask_only, own_kv_heads, values_as_wide_as_keys, plain_scores, no_dropout,
                               equal_heads, ulysses_innermost});
  return limits;
}

/// Adds the limits of the dense kernel, which has no backward pass and knows sequences by one length only; attention
/// between two sequences is given to another kernel.
std::vector<Limit> with_those_of_custom(std::vector<Limit> limits) {
  limits.insert(limits.end(), {forward_only, full_sequences_only, self_attention_only});
  return with_those_of_all(std::move(limits));
}

constexpr Limit unregistered{"not registered", [](const Problem&, const Mesh&) -> std::optional<std::string> {
                               return "is documented there and not registered; maxdiffusion/tokamax_ring is its ring";
                             }};

const RegisteredSystem registered({
    {.name = "maxdiffusion/ring",
     .ours = "ring",
     .summary = "MaxDiffusion documents it and does not register it",
     .limits = {unregistered},
     .meshes = {"ring:4"}},
    {.name = "maxdiffusion/tokamax_ring",
     .ours = "ring:hops=all:merge=rescaled_sums",
     .summary = "ring of tokamax's splash attention, in MaxDiffusion: keys come home again",
     .limits = with_those_of_all({self_attention_only}),
     .meshes = {"ring:1", "ring:2", "ring:5", "ring:3+batch:2"}},
    {.name = "maxdiffusion/tokamax_ring_custom",
     .ours = "ring:merge=rescaled_sums",
     .summary = "ring of MaxDiffusion's dense kernel; forward only",
     .limits = with_those_of_custom({}),
     .meshes = {"ring:1", "ring:2", "ring:5", "ring:3+batch:2"}},
    {.name = "maxdiffusion/ulysses",
     .ours = "ulysses",
     .summary = "Ulysses around splash attention, in MaxDiffusion",
     .limits = with_those_of_all({}),
     .meshes = {"ulysses:1", "ulysses:2", "ulysses:4", "ulysses:2+batch:2"}},
    {.name = "maxdiffusion/ulysses_custom",
     .ours = "ulysses",
     .summary = "Ulysses around MaxDiffusion's dense kernel; forward only",
     .limits = with_those_of_custom({}),
     .meshes = {"ulysses:1", "ulysses:2", "ulysses:4", "ulysses:2+batch:2"}},
    {.name = "maxdiffusion/ulysses_custom_fixed_m",
     .ours = "ulysses",
     .summary = "the same, and no maximum is looked for; forward only",
     .limits = with_those_of_custom({}),
     .meshes = {"ulysses:1", "ulysses:2", "ulysses:4", "ulysses:2+batch:2"},
     .local = "flash:maximum=fixed"},
    {.name = "maxdiffusion/ulysses_ring",
     .ours = "two_dimensional:hops=all:merge=rescaled_sums",
     .summary = "Ulysses around the ring of tokamax's splash attention, in MaxDiffusion",
     .limits = with_those_of_all({self_attention_only}),
     .meshes = {"ulysses:2+ring:2", "ulysses:2+ring:3+batch:2", "ulysses:1+ring:4", "ulysses:4+ring:1"}},
    {.name = "maxdiffusion/ulysses_ring_custom",
     .ours = "two_dimensional:merge=rescaled_sums",
     .summary = "Ulysses around the ring of MaxDiffusion's dense kernel; forward only",
     .limits = with_those_of_custom({}),
     .meshes = {"ulysses:2+ring:2", "ulysses:2+ring:3+batch:2", "ulysses:1+ring:4", "ulysses:4+ring:1"}},
    {.name = "maxdiffusion/ulysses_ring_custom_fixed_m",
     .ours = "two_dimensional:merge=fixed_maximum",
     .summary = "the same, and no maximum is looked for; forward only",
     .limits = with_those_of_custom({}),
     .meshes = {"ulysses:2+ring:2", "ulysses:2+ring:3+batch:2", "ulysses:1+ring:4", "ulysses:4+ring:1"},
     .local = "flash:maximum=fixed"},
    {.name = "maxdiffusion/ulysses_ring_custom_bidir",
     .ours = "two_dimensional:hops=to_both_ends:merge=rescaled_sums",
     .summary = "Ulysses around both directions of a line of MaxDiffusion's dense kernel; forward only",
     .limits = with_those_of_custom({}),
     .meshes = {"ulysses:2+ring:2", "ulysses:2+ring:3+batch:2", "ulysses:1+ring:4", "ulysses:4+ring:1"}},
});

}  // namespace
}  // namespace attestone::inline backends
