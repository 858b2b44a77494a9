// SPDX-License-Identifier: Apache-2.0
// Ulysses within groups, a ring between them (USP: J. Fang, S. Zhao, arXiv 2405.07719): what ulysses.cpp computes where
// the ring has several places.
#include "backends/distributed/methods/context_parallel.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const Registration<RankProgramEntry> registered{{
    .name = "two_dimensional",
    .summary = "Ulysses within groups, a ring between them",
    .settings = ContextParallel::all_settings(),
    .examples = ContextParallel::all_examples(),
    .meshes = {"ulysses:2+ring:2", "ring:3+ulysses:2+batch:2", "ulysses:1+ring:4", "ulysses:4+ring:1"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<ContextParallel>("two_dimensional",
                                               std::vector<std::string_view>{"ulysses", "ring", "batch"}, settings);
    },
}};

}  // namespace
}  // namespace attestone::inline backends
