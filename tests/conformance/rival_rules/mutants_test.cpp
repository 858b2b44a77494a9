// SPDX-License-Identifier: Apache-2.0
// Every mutant is convicted by the property that it names, its twin is acquitted, and every cheat is caught.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "conformance/rival_rules/kill_matrix.hpp"
#include "conformance/run/run.hpp"
#include "mutants/hosts/cheat.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

// slow: goes through the mutants
TEST(Mutants, AreConvictedByTheirPropertyAndTheirTwinsAcquitted) {
  const auto scores = mutant_rows();
  EXPECT_EQ(scores.size(), Registry<Mutant>::all().size());
  for (const MutantRow& score : scores) {
    EXPECT_EQ(score.by_its_property.reason, score.mutant->reason)
        << score.mutant->name << ": " << score.by_its_property.evidence;
    EXPECT_EQ(score.twin.outcome, Outcome::passed) << score.mutant->name << ": " << score.twin.evidence;
  }
}

/// On inputs from [0, 1) gradients of Q are small beside what cancels in them: where others' tolerances let these pass.
// slow: goes through the mutants
TEST(Mutants, WrongGradientsAreRejectedOnUniformInputsInEveryFormat) {
  const std::vector<const Property*> properties{Registry<Property>::find("gradient_bound"),
                                                Registry<Property>::find("gradient_gain")};
  for (const char* name :
       {"query_gradient_zero", "query_gradient_negated", "query_gradient_halved", "swapped_key_and_value_gradients"})
    for (const char* format : {"f32", "f16", "bf16", "f16>f32", "bf16>f32"}) {
      const auto text =
          fmt::format("shape=1x4/2x64x64x32 mask=causal fill=uniform dtype={} pass=forward+backward", format);
      const RunOptions options{.problems = {parse_problem(text)}, .properties = properties, .explain = false};
      EXPECT_FALSE(examine(Registry<Mutant>::find(name)->kernel(), options).conforms()) << name << " " << format;
    }
}

// slow: goes through the mutants
TEST(Mutants, LeaveNoPropertyUntried) {
  std::set<std::string_view> named{"answers_afresh"};  // hostile plugins are convicted by it
  for (const auto& [name, mutant] : Registry<Mutant>::all()) named.insert(mutant.property);
  for (const auto& [name, property] : Registry<Property>::all()) EXPECT_TRUE(named.count(property.name)) << name;
}

// slow: goes through the mutants
TEST(Mutants, OfRelationsAreRightOnThePlainCall) {
  for (const auto& [name, mutant] : Registry<Mutant>::all()) {
    if (!Registry<Property>::find(std::string(mutant.property))->relation) continue;
    const Problem problem = parse_problem(mutant.problem);
    for (const char* plain : {"value_bound", "gradient_bound"}) {
      const Verdict verdict = examine_case(*mutant.kernel(), *Registry<Property>::find(plain), problem);
      EXPECT_NE(verdict.outcome, Outcome::failed) << name << ", " << plain << ": " << verdict.evidence;
    }
  }
}

TEST(Relations, AreAtLeastTwenty) {
  const auto& all = Registry<Property>::all();
  EXPECT_GE(std::count_if(all.begin(), all.end(), [](const auto& named) { return named.second.relation; }), 20);
}

TEST(LostTail, ShrinksToTileAndOneKey) {
  const KernelRun run =
      examine(Registry<Mutant>::find("lost_tail")->kernel(),
              {.problems = {parse_problem("shape=2x4/2x33x59x24 mask=causal score=softcap:30 dtype=bf16 seed=5")},
               .properties = {Registry<Property>::find("value_bound")}});
  ASSERT_EQ(run.failures.size(), 1u);
  EXPECT_EQ(run.failures[0].least.text(), "shape=1x1x1x17x1 dtype=bf16");
}

// slow: goes through the mutants
TEST(Cheats, AreCaughtInEveryFormat) {
  for (const auto& [name, cheat] : Registry<Cheat>::all())
    for (const char* format : {"f32", "f16", "bf16"}) {
      const Problem problem = parse_problem(std::string("shape=2x2x17x33x16 mask=causal dtype=") + format);
      const KernelRun run = examine(cheat.kernel(), {.problems = {problem}, .fail_fast = true});
      EXPECT_FALSE(run.conforms()) << name << " in " << format;
    }
}

}  // namespace
}  // namespace attestone
