// SPDX-License-Identifier: Apache-2.0
// Right answers by more bytes, more memory or other links than the method documents.
#include "backends/distributed/messages/elements.hpp"
#include "mutants/hosts/mesh.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class KeysSentInF32 final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Task<Requests> hop_of_keys(const RingStep& step, const KeysAndValues& out, const KeysAndValues& in) const override {
    const DType& f32 = dtype("f32");
    const HeldHeads heads = head_numbers(step.rank);
    KeysAndValues going(step.rank, "KV in f32", f32, f32, out.key.rows(), heads);
    KeysAndValues coming(step.rank, "KV in f32", f32, f32, in.key.rows(), heads);
    round_into(out.key.all(), going.key.all());
    round_into(out.value.all(), going.value.all());
    Task<> hopped = all_of(hop(step, step.rank.ring, going, coming));
    co_await hopped;
    round_into(coming.key.all(), in.key.all());
    round_into(coming.value.all(), in.value.all());
    co_return Requests();
  }
};

class SecondBuffersKept final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override {
    const index rows = rank.keys.of_ring(rank.ring.beside(-1)).count();
    KeysAndValues second(rank, "second KV", held.key.dtype(), held.value.dtype(), rows, rank.held_heads());
    Task<RankAnswer> all = MeshSteps::forward(rank, std::move(held));
    co_return co_await all;
  }
};

const Registrations<Mutant> registered{
    {.name = "keys_go_home",
     .summary = "sends the last keys of a ring on, which nobody needs any more",
     .property = "value_bound",
     .reason = "mesh-traffic",
     .problem = "shape=1x1x2x2x1",
     .kernel =
         [] { return mesh_mutant("keys_go_home", std::make_shared<CostedAs>("ring:hops=all", "ring"), "ring:2"); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "keys_sent_in_f32",
     .summary = "sends K and V in f32, whatever their format is",
     .property = "value_bound",
     .reason = "mesh-traffic",
     .problem = "shape=1x1x1x2x1 dtype=bf16",
     .kernel = [] { return mesh_mutant<KeysSentInF32>("keys_sent_in_f32", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "sums_in_f32",
     .summary = "sends sums of dK and dV in f32 where they take the output format",
     .property = "gradient_bound",
     .reason = "mesh-traffic",
     .problem = "shape=1x1x1x2x1 dtype=bf16 pass=forward+backward",
     .kernel =
         [] {
           const auto wide = std::make_shared<CostedAs>("ring:messages=fused", fused_ring_of_two.method);
           return mesh_mutant("sums_in_f32", wide, fused_ring_of_two.mesh);
         },
     .twin = [] { return mesh_twin(fused_ring_of_two); }},
    {.name = "parts_in_f32",
     .summary = "keeps what a block of a ring answers in f32, where the method has room for the output format",
     .property = "value_bound",
     .reason = "mesh-memory",
     .problem = "shape=1x1x2x2x1 dtype=bf16",
     .kernel =
         [] { return mesh_mutant("parts_in_f32", std::make_shared<CostedAs>("ring", "ring:parts=output"), "ring:2"); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "second_buffers_kept",
     .summary = "holds one more shard of K and V than a ring needs, from the first hop to the last",
     .property = "value_bound",
     .reason = "mesh-memory",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return mesh_mutant<SecondBuffersKept>("second_buffers_kept", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "heads_gathered_at_once",
     .summary = "gathers the keys of all heads at once, where a method gathers them in two chunks",
     .property = "value_bound",
     .reason = "mesh-traffic",
     .problem = "shape=1x2x1x2x1",
     .kernel =
         [] {
           return mesh_mutant("heads_gathered_at_once",
                              std::make_shared<CostedAs>("all_gather", gathering_chunks_of_two.method),
                              gathering_chunks_of_two.mesh);
         },
     .twin = [] { return mesh_twin(gathering_chunks_of_two); }},
    {.name = "line_taken_for_a_ring",
     .summary = "sends keys round a ring both ways where an open line is documented",
     .property = "value_bound",
     .reason = "mesh-traffic",
     .problem = "shape=1x1x1x6x1",
     .kernel =
         [] {
           return mesh_mutant("line_taken_for_a_ring",
                              std::make_shared<CostedAs>("ring_bidirectional", line_of_three.method),
                              line_of_three.mesh);
         },
     .twin = [] { return mesh_twin(line_of_three); }},
};

}  // namespace
}  // namespace attestone::inline mutants
