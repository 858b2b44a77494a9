// SPDX-License-Identifier: Apache-2.0
// Mutant: a send that nobody awaits.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

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

const Registration<Mutant> registered{{
    .name = "send_let_go",
    .summary = "lets the request of a send go when it has started",
    .property = "value_bound",
    .reason = "request-not-awaited",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return mesh_mutant<SendLetGo>("send_let_go", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
