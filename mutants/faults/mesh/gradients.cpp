// SPDX-License-Identifier: Apache-2.0
// Backward passes of meshes that lose, swap, average or misplace sums of gradients.
#include <algorithm>

#include "backends/distributed/messages/elements.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "mutants/hosts/diffusers_ring.hpp"
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class SumsOneHopFromHome final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Requests hop_of_sums(const RingStep& step, const Blocks& blocks, const KeysAndValues& out,
                       const KeysAndValues& in) const override {
    if (step.number < step.places() - 1) return MeshSteps::hop_of_sums(step, blocks, out, in);
    copy(out.key.all(), in.key.all());
    copy(out.value.all(), in.value.all());
    return {};
  }
};

class SumsAddedBeforeTheyCome final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  bool adds_first() const override { return true; }
};

class BlindDevicesKeepSums final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Requests hop_of_sums(const RingStep& step, const Blocks& blocks, const KeysAndValues& out,
                       const KeysAndValues& in) const override {
    if (!blocks.empty()) return MeshSteps::hop_of_sums(step, blocks, out, in);
    copy(out.key.all(), in.key.all());
    copy(out.value.all(), in.value.all());
    return {};
  }
};

class FusedGradientsSwapped final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Requests hop_of_sums(const RingStep& step, const Blocks&, const KeysAndValues& out,
                       const KeysAndValues& in) const override {
    const std::vector<ConstView> going{out.key.all(), out.value.all()};
    const std::vector<View> coming{in.value.all(), in.key.all()};
    return permute(step.rank.communicator, step.rank.ring, 1, going, coming, step.variant.messages);
  }
};

class GradientsOfCopiesAveraged final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  double share_of_copies(const Rank& rank) const override { return 1.0 / static_cast<double>(rank.heads.copies()); }
};

class KeysCountedByLastHop final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    if (!step.backward) return MeshSteps::blocks(step);
    const HeldRows& last = step.rank.keys.of_ring(step.rank.ring.beside(1));
    std::vector<index> none, keys;
    for (index sequence = 0; sequence < step.keys.sequences(); ++sequence) {
      none.push_back(0);
      keys.push_back(std::min(last.count(sequence), step.keys.count(sequence)));
    }
    return blocks_of_some(step, none, keys);
  }
};

class DeltaOfFirstSequence final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Buffer delta(Rank& rank, const LocalQueries& queries, const RankSaved& saved) const override {
    Buffer delta = delta_of(rank, queries, saved);
    if (rank.ring.place == rank.ring.size() - 1) return delta;
    for (index sequence = 1; sequence < queries.rows.sequences(); ++sequence)
      for (index row = 0; row < queries.rows.count(sequence); ++row)
        for (index head = 0; head < delta.heads(); ++head) {
          double sum = 0;
          for (index c = 0; c < saved.out.channels(); ++c)
            sum += saved.out.all().value(0, head, row, c) * saved.dout.all().value(0, head, row, c);
          delta.all().set(0, head, queries.rows.begin(sequence) + row, 0, sum);
        }
    return delta;
  }
};

class DeltaOfNarrowRows final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Buffer delta(Rank& rank, const LocalQueries& queries, const RankSaved& saved) const override {
    Buffer delta = delta_of(rank, queries, saved);
    const index dim = saved.query.channels();
    for_each_element(delta.all(), [&](index, index head, index row, index) {
      double beyond = 0;
      for (index c = dim; c < saved.out.channels(); ++c)
        beyond += saved.out.all().value(0, head, row, c) * saved.dout.all().value(0, head, row, c);
      if (beyond != 0) delta.all().set(0, head, row, 0, delta.all().value(0, head, row, 0) - beyond);
    });
    return delta;
  }
};

class BiasGradientOfOwnKeys final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  std::optional<View> dbias(const RingStep& step) const override {
    if (step.number > 0) return std::nullopt;
    return MeshSteps::dbias(step);
  }
};

class SinkGradientAtEveryHop final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Buffer delta(Rank& rank, const LocalQueries& queries, const RankSaved& saved) const override {
    for (index hop = 1; hop < rank.ring.size(); ++hop) delta_of(rank, queries, saved);
    return delta_of(rank, queries, saved);
  }
};

const Registrations<Mutant> registered{
    {.name = "sums_one_hop_from_home",
     .summary = "stores dK and dV on the device before the one whose keys they belong to",
     .property = "gradient_bound",
     .reason = "mesh-traffic",
     .problem = "shape=1x1x1x2x1 pass=forward+backward",
     .kernel = [] { return mesh_mutant<SumsOneHopFromHome>("sums_one_hop_from_home", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "sums_added_before_they_come",
     .summary = "adds to travelling sums of dK and dV before they have come, so that what it adds is lost",
     .source = "ByteDance-Seed/VeOmni #420",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x4x4x1 pass=forward+backward",
     .kernel = [] { return mesh_mutant<SumsAddedBeforeTheyCome>("sums_added_before_they_come", two_by_two); },
     .twin = [] { return mesh_twin(two_by_two); }},
    {.name = "blind_devices_keep_sums",
     .summary = "does not send sums of dK and dV on where a device has nothing to add to them",
     .property = "gradient_bound",
     .reason = "mismatched-message",
     .problem = "shape=1x1x2x2x1 mask=causal pass=forward+backward",
     .kernel = [] { return mesh_mutant<BlindDevicesKeepSums>("blind_devices_keep_sums", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "fused_gradients_swapped",
     .summary = "packs sums of gradients as dK, dV and unpacks them as dV, dK",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x1 pass=forward+backward",
     .kernel = [] { return mesh_mutant<FusedGradientsSwapped>("fused_gradients_swapped", fused_ring_of_two); },
     .twin = [] { return mesh_twin(fused_ring_of_two); }},
    {.name = "halves_of_gradients_exchanged",
     .summary = "puts the gradients of the second halves of keys before those of the first ones",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x4x1 pass=forward+backward",
     .kernel =
         [] {
           return mesh_mutant("halves_of_gradients_exchanged", halves_of_two,
                              {.gradients = [](const Rank& rank, RankGradients& gradients) {
                                for (Buffer* sum : {&gradients.dkey, &gradients.dvalue})
                                  exchange_halves(rank.keys.of_ring(rank.ring.place), *sum);
                              }});
         },
     .twin = [] { return mesh_twin(halves_of_two); }},
    {.name = "gradients_of_copies_averaged",
     .summary = "averages gradients of the copies of a kv head",
     .source = "PrimeIntellect-ai/prime-rl PR #3042",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x4/2x1x1x1 pass=forward+backward",
     .kernel =
         [] { return mesh_mutant<GradientsOfCopiesAveraged>("gradients_of_copies_averaged", copying_ulysses_of_four); },
     .twin = [] { return mesh_twin(copying_ulysses_of_four); }},
    {.name = "gathered_gradients_averaged",
     .summary = "averages gradients of gathered keys over the places that gathered them",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x2x2x1 pass=forward+backward",
     .kernel =
         [] {
           return mesh_mutant("gathered_gradients_averaged", gathering_two,
                              {.gradients = [](const Rank& rank, RankGradients& gradients) {
                                for (Buffer* sum : {&gradients.dkey, &gradients.dvalue})
                                  scale(*sum, 1.0 / static_cast<double>(rank.ring.size()));
                              }});
         },
     .twin = [] { return mesh_twin(gathering_two); }},
    {.name = "shares_of_query_gradient_averaged",
     .summary = "averages what the keys of each place give to the gradient of a query",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x3x1 pass=forward+backward",
     .variant = "dQ halved",
     .kernel =
         [] {
           return mesh_mutant("shares_of_query_gradient_averaged", keys_of_two,
                              {.gradients = [](const Rank& rank, RankGradients& gradients) {
                                scale(gradients.dquery, 1.0 / static_cast<double>(rank.ring.size()));
                              }});
         },
     .twin = [] { return mesh_twin(keys_of_two); }},
    {.name = "keys_never_change",
     .summary = "computes every step of the backward pass with the keys that it began with, and sends these on",
     .source = "huggingface/diffusers #14265, by its words",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x2x2x1 pass=forward+backward",
     .variant = "own keys at every step of 2 in the backward pass",
     .kernel = [] { return mesh_mutant<KeysNeverChange>("keys_never_change", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "keys_counted_by_last_hop",
     .summary = "takes in the backward pass the number of keys that the last step of the forward pass had saved, for "
                "every step",
     .source = "pytorch/pytorch PR #185493",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x3x1 pass=forward+backward",
     .kernel = [] { return mesh_mutant<KeysCountedByLastHop>("keys_counted_by_last_hop", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "delta_of_first_sequence",
     .summary = "takes delta of the first sequence for all, on every device of a ring but the last",
     .source = "fla-org/flash-linear-attention #1115",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=2x1x1x2x1 pass=forward+backward",
     .kernel = [] { return mesh_mutant<DeltaOfFirstSequence>("delta_of_first_sequence", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "delta_of_narrow_rows",
     .summary = "sums dO O over the channels of Q, where V and O have more",
     .source = "XunhaoLai/native-sparse-attention-triton #27",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x1:2 pass=forward+backward",
     .kernel = [] { return mesh_mutant<DeltaOfNarrowRows>("delta_of_narrow_rows", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "bias_gradient_of_own_keys",
     .summary = "adds to dBias on the first step of a ring only",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x1 score=bias:full pass=forward+backward",
     .kernel = [] { return mesh_mutant<BiasGradientOfOwnKeys>("bias_gradient_of_own_keys", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "sink_gradient_at_every_hop",
     .summary = "computes delta anew at every hop, and adds to the gradients of sinks each time",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x1 score=sink:head pass=forward+backward",
     .kernel = [] { return mesh_mutant<SinkGradientAtEveryHop>("sink_gradient_at_every_hop", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
};

}  // namespace
}  // namespace attestone::inline mutants
