// SPDX-License-Identifier: Apache-2.0
// Choosing properties, and dealing them out.
#include "conformance/run/questions.hpp"

#include <algorithm>

#include "conformance/run/case.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<const Property*> chosen_properties(const RunOptions& options) {
  std::vector<const Property*> chosen = options.properties;
  if (chosen.empty()) {
    for (const auto& [name, property] : Registry<Property>::all()) chosen.push_back(&property);
    // The plainest statement first, so that a wrong kernel is first of all shown a wrong number.
    // (Not std::ranges: clang 14 cannot compile libstdc++ 12's subrange.)
    std::stable_partition(chosen.begin(), chosen.end(),
                          [](const Property* property) { return property->name == "value_bound"; });
  }
  std::erase_if(chosen, [&](const Property* property) {
    return std::find(options.excluded.begin(), options.excluded.end(), property) != options.excluded.end();
  });
  return chosen;
}

}  // namespace

Questions::Questions(const RunOptions& options)
    : properties_(chosen_properties(options)),
      in_turns_(attestone::in_turns(options)),
      chosen_(!options.properties.empty()),
      turns_(in_turns_ ? Turns(options.problems, properties_) : Turns()) {}

std::vector<Question> Questions::about(const Problem& problem, const Kernel& kernel) {
  std::vector<Question> questions;
  for (const Property* property : properties_) {
    if (auto verdict = inapplicable(*property, problem)) {
      if (verdict->outcome != Outcome::skipped) questions.push_back({property, true, std::move(verdict)});
      continue;
    }
    if (std::string why = undeclared(*property, kernel, problem); !why.empty()) {
      if (chosen_) questions.push_back({property, true, Verdict::skipped(std::move(why))});
      continue;
    }
    questions.push_back({property, !property->relation || !in_turns_ || turns_.comes(*property)});
  }
  return questions;
}

void Questions::take_back(const Turns& before, const std::vector<Question>& of_the_last, std::size_t asked) {
  turns_ = before;
  for (std::size_t at = 0; at < asked; ++at)
    if (of_the_last[at].property->relation && in_turns_ && !of_the_last[at].at_once)
      turns_.comes(*of_the_last[at].property);
}

}  // namespace attestone::inline conformance
