// SPDX-License-Identifier: Apache-2.0
// No wrong kernel whose cause is known gets a kind of fault that it has not, and every kind has a kernel that it names.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "conformance/diagnosis/kinds/kind.hpp"
#include "conformance/mutants/machinery/mutant.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/diagnosis/larger_problem.hpp"

namespace attestone {
namespace {

/// What is told of a mutant, by the property that convicts it: on a larger problem if it fails there, else on its own.
Circumstances told_of(const Mutant& mutant) {
  for (const Problem& problem : {larger(mutant.problem), parse_problem(mutant.problem)}) {
    const KernelRun run =
        examine(mutant.kernel(), {.problems = {problem}, .properties = {Registry<Property>::find(mutant.property)}});
    for (const Failure& failure : run.failures)
      if (failure.property) return failure.circumstances;
  }
  return {};
}

/// The kinds of the mutants that get any; each was read in the mutant's source.
const std::map<std::string_view, std::set<std::string>> known_kinds{};

TEST(Kinds, AreTrueOfEveryMutant) {
  std::set<std::string> named;
  for (const auto& [name, mutant] : Registry<Mutant>::all()) {
    const Circumstances told = told_of(mutant);
    std::set<std::string> kinds;
    for (const NamedKind& kind : told.kinds) kinds.insert(kind.name);
    const auto known = known_kinds.find(name);
    EXPECT_EQ(kinds, known == known_kinds.end() ? std::set<std::string>{} : known->second) << name;
    named.merge(kinds);
    if (!told.empty())
      fmt::print("{}: {} | with {} | if {} | {}\n", name, told.pattern, fmt::join(told.only_with, ", "),
                 fmt::join(told.only_if, ", "), told.calls);
  }
  fmt::print("kinds named: {}\n", fmt::join(named, ", "));
}

}  // namespace
}  // namespace attestone
