// SPDX-License-Identifier: Apache-2.0
// Mutant: positions of another ring.
#include "mutants/hosts/mesh.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class RingsNumberedFromTheEnd final : public ChangedMethod {
 public:
  RingsNumberedFromTheEnd() : ChangedMethod(rings_of_two.method) {}

  Task<RankAnswer> forward(Rank& rank, RankInputs inputs) const override {
    Rank believes = rank;
    believes.outer = mirrored(rank.outer);
    Task<RankAnswer> task = right().forward(believes, std::move(inputs));
    co_return co_await task;
  }
};

const Registration<Mutant> registered{{
    .name = "rings_numbered_from_the_end",
    .summary = "masks what rings of a double ring hold by the positions of the rings at the other end",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x4x1 mask=causal",
    .kernel =
        [] {
          return mesh_mutant("rings_numbered_from_the_end", std::make_shared<RingsNumberedFromTheEnd>(),
                             rings_of_two.mesh);
        },
    .twin = [] { return mesh_twin(rings_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
