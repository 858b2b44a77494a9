// SPDX-License-Identifier: Apache-2.0
// Mutant: sends that are awaited before receives are posted.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

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

const Registration<Mutant> registered{{
    .name = "sends_awaited_first",
    .summary = "waits on every device of a ring until what it sends has been received, and only then receives",
    .property = "value_bound",
    .reason = "deadlock",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return mesh_mutant<SendsAwaitedFirst>("sends_awaited_first", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
