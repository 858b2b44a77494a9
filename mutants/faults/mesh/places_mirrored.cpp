// SPDX-License-Identifier: Apache-2.0
// Mutant: positions of another device.
#include "mutants/hosts/mesh.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// Rank r takes itself for rank N - 1 - r of the ring.
class PlacesMirrored final : public ChangedMethod {
 public:
  PlacesMirrored() : ChangedMethod("ring:parts=output") {}

  Task<RankAnswer> forward(Rank& rank, RankInputs inputs) const override {
    Rank believes = rank;
    believes.ring = mirrored(rank.ring);
    Task<RankAnswer> task = right().forward(believes, std::move(inputs));
    co_return co_await task;
  }
};

const Registration<Mutant> registered{{
    .name = "places_mirrored",
    .summary = "masks a ring's rows by the positions of the device at the other end",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x2x1 mask=causal",
    .kernel = [] { return mesh_mutant("places_mirrored", std::make_shared<PlacesMirrored>(), "ring:2"); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
