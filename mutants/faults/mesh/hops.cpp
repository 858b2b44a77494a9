// SPDX-License-Identifier: Apache-2.0
// Rings whose keys and values do not meet all queries, or change on their way.
#include <utility>

#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class OneHopShort final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  index steps(const Rank& rank) const override { return rank.ring.size() - 1; }
};

class LastShardUnseen final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    if (step.number == step.places() - 1) return {};
    return MeshSteps::blocks(step);
  }
};

class IdleDevicesLeave final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override {
    if (held.query.rows() > 0) {
      Task<RankAnswer> ring = MeshSteps::forward(rank, std::move(held));
      co_return co_await ring;
    }
    const Shape& shape = rank.attention.whole().shape;
    RankAnswer nothing{Buffer(rank.device, "out", rank.attention.whole().output, 0, shape.heads, shape.value_dim),
                       Buffer(rank.device, "log_sum_exp", dtype("f32"), 0, shape.heads, 1)};
    co_return nothing;
  }
};

class RingIgnoredWithDropout final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    if (step.whole().dropout > 0 && step.number > 0) return {};
    return MeshSteps::blocks(step);
  }
};

class KeysHopInOtherGroup final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Task<Requests> hop_of_keys(const RingStep& step, const KeysAndValues& out, const KeysAndValues& in) const override {
    Requests requests = hop(step, step.rank.ulysses, out, in);
    co_return requests;
  }
};

class ValuesOneHopBehind final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  KeysAndValues next_keys(const RingStep& step, KeysAndValues current, KeysAndValues next) const override {
    if (step.backward || step.number == 0 || next.value.rows() != current.value.rows())
      return MeshSteps::next_keys(step, std::move(current), std::move(next));
    current.key.release();
    next.value.release();
    return {std::move(next.key), std::move(current.value)};
  }
};

/// A local kernel that at either end of the line gives nothing to keys of others, and takes nothing from them. Its
/// first call is that of the own keys.
KernelChanges of_own_keys(const Rank& rank) {
  if (rank.ring.place > 0 && rank.ring.place < rank.ring.size() - 1) return {};
  return {.backward = [own = true](const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                                   Device& device) mutable {
    honest.backward(problem, arguments, device);
    if (std::exchange(own, false)) return;
    for (const View& gradient : {arguments.dquery, arguments.dkey, arguments.dvalue})
      for_each_element(gradient, [&](index batch, index head, index row, index channel) {
        gradient.set(batch, head, row, channel, 0);
      });
  }};
}

class KeysScaledWhileSent final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Task<Requests> hop_of_keys(const RingStep& step, const KeysAndValues& out, const KeysAndValues& in) const override {
    Requests requests = hop(step, step.rank.ring, out, in);
    const View key = out.key.all();
    for_each_element(key, [&](index batch, index head, index row, index channel) {
      key.set(batch, head, row, channel, 2 * key.value(batch, head, row, channel));
    });
    co_return requests;
  }
};

class SendLetGo final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Task<Requests> hop_of_keys(const RingStep& step, const KeysAndValues& out, const KeysAndValues& in) const override {
    Requests requests = hop(step, step.rank.ring, out, in);
    requests.pop_back();
    co_return requests;
  }
};

class SendsAwaitedFirst final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Task<Requests> hop_of_keys(const RingStep& step, const KeysAndValues& out, const KeysAndValues& in) const override {
    Communicator& rank = step.rank.communicator;
    const Group& ring = step.rank.ring;
    const Signature signature = rank.begin(ring, "hop", CallSite::current());
    const std::vector<ConstView> going{out.key.all()}, values_going{out.value.all()};
    const std::vector<View> coming{in.key.all()}, values_coming{in.value.all()};
    co_await rank.send(ring, ring.beside(1), signature, going);
    co_await rank.send(ring, ring.beside(1), signature, values_going);
    co_await rank.receive(ring, ring.beside(-1), signature, coming);
    co_await rank.receive(ring, ring.beside(-1), signature, values_coming);
    co_return Requests();
  }
};

const Registrations<Mutant> registered{
    {.name = "one_hop_short",
     .summary = "goes round a ring in one hop less than it takes",
     .property = "value_bound",
     .reason = "mesh-traffic",
     .problem = "shape=1x1x1x3x1",
     .kernel = [] { return mesh_mutant<OneHopShort>("one_hop_short", ring_of_three); },
     .twin = [] { return mesh_twin(ring_of_three); }},
    {.name = "last_shard_unseen",
     .summary = "attends to the keys of all devices of a ring but those that come last",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1",
     .variant = "the last 1 of 2 keys never read",
     .kernel = [] { return mesh_mutant<LastShardUnseen>("last_shard_unseen", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "idle_devices_leave",
     .summary = "lets devices without queries leave a ring, with keys that others wait for",
     .property = "value_bound",
     .reason = "mismatched-message",
     .problem = "shape=1x1x2x3x1",
     .kernel = [] { return mesh_mutant<IdleDevicesLeave>("idle_devices_leave", ring_of_three); },
     .twin = [] { return mesh_twin(ring_of_three); }},
    {.name = "ring_ignored_with_dropout",
     .summary = "attends only to the keys of a device's own group where there is dropout",
     .source = "huggingface/diffusers PR #12563",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x1x4x1 dropout=0.5",
     .kernel = [] { return mesh_mutant<RingIgnoredWithDropout>("ring_ignored_with_dropout", two_by_two); },
     .twin = [] { return mesh_twin(two_by_two); }},
    {.name = "keys_hop_in_other_group",
     .summary = "sends the keys of a ring round the Ulysses group",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x1x4x1",
     .kernel = [] { return mesh_mutant<KeysHopInOtherGroup>("keys_hop_in_other_group", two_by_two); },
     .twin = [] { return mesh_twin(two_by_two); }},
    {.name = "values_one_hop_behind",
     .summary = "attends from the second hop on to the keys of one device with the values of another",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x3x1",
     .kernel = [] { return mesh_mutant<ValuesOneHopBehind>("values_one_hop_behind", ring_of_three); },
     .twin = [] { return mesh_twin(ring_of_three); }},
    {.name = "halves_of_values_exchanged",
     .summary = "sends the values of the second half of its keys with the keys of the first half",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x4x1",
     .kernel =
         [] {
           return mesh_mutant("halves_of_values_exchanged", halves_of_two,
                              {.inputs = [](const Rank& rank, RankInputs& held) {
                                exchange_halves(rank.keys.of_ring(rank.ring.place), held.value);
                              }});
         },
     .twin = [] { return mesh_twin(halves_of_two); }},
    {.name = "turning_keys_unused",
     .summary = "lets keys turn at the end of a line without using them there",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x3x3x1 pass=forward+backward",
     .kernel = [] { return mesh_mutant("turning_keys_unused", reflecting_line_of_three, {.local = of_own_keys}); },
     .twin = [] { return mesh_twin(reflecting_line_of_three); }},
    {.name = "keys_scaled_while_sent",
     .summary = "doubles K in place while it is being sent",
     .property = "value_bound",
     .reason = "send-buffer-changed",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return mesh_mutant<KeysScaledWhileSent>("keys_scaled_while_sent", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "send_let_go",
     .summary = "lets the request of a send go when it has started",
     .property = "value_bound",
     .reason = "request-not-awaited",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return mesh_mutant<SendLetGo>("send_let_go", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "sends_awaited_first",
     .summary = "waits on every device of a ring until what it sends has been received, and only then receives",
     .property = "value_bound",
     .reason = "deadlock",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return mesh_mutant<SendsAwaitedFirst>("sends_awaited_first", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
};

}  // namespace
}  // namespace attestone::inline mutants
