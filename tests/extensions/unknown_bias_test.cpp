// SPDX-License-Identifier: Apache-2.0
// A kernel refuses a bias whose formula it does not know: a new one accuses nobody.
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "mutants/hosts/cheat.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

TEST(UnknownBias, IsRefusedByItsName) {
  const Problem problem = parse_problem("shape=1x1x8x8x8 score=clipped_distance:0.1");
  for (const auto& [name, entry] : Registry<KernelEntry>::all()) {
    const Support support = make_kernel(name)->supports(problem);
    EXPECT_FALSE(support) << name;
    EXPECT_TRUE(support.why.find("clipped_distance") != std::string::npos) << name << ": " << support.why;
  }
  for (const auto& [name, mutant] : Registry<Mutant>::all()) {
    EXPECT_FALSE(mutant.kernel()->supports(problem)) << name;
    EXPECT_FALSE(mutant.twin()->supports(problem)) << name;
  }
  for (const auto& [name, cheat] : Registry<Cheat>::all()) EXPECT_FALSE(cheat.kernel()->supports(problem)) << name;
}

}  // namespace
}  // namespace attestone
