// SPDX-License-Identifier: Apache-2.0
// One declaration for answers and gradients, held against everything else that is known of a kernel.
#include "conformance/run/explain_by_declaration.hpp"

#include <algorithm>

#include "backends/changed_kernel.hpp"
#include "conformance/diagnosis/work.hpp"
#include "conformance/run/case.hpp"
#include "conformance/run/explain_by_codes.hpp"
#include "reference/declared_words.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Multiply-adds of the first failure, up to which every property is asked of it again.
constexpr double most_work = 0x1p22;
// Failures that a declaration has to explain, beside the first and the least.
constexpr std::size_t most_others = 4;

/// The failure of this property; null if there is none.
const Failure* failure_of(const KernelRun& run, std::string_view property) {
  for (const Failure& failure : run.failures)
    if (failure.property && failure.property->name == property) return &failure;
  return nullptr;
}

/// The problem that failed first, the cheapest others, and the least one.
std::vector<Problem> failing_problems(const KernelRun& run, const Failure& failure) {
  std::vector<Problem> others;
  for (const Case& each : run.cases)
    if (each.property == failure.property && each.verdict.outcome == Outcome::failed &&
        !(each.problem == failure.first) && !(each.problem == failure.least))
      others.push_back(each.problem);
  std::stable_sort(others.begin(), others.end(),
                   [](const Problem& a, const Problem& b) { return multiply_adds(a.shape) < multiply_adds(b.shape); });
  others.resize(std::min(others.size(), most_others));
  others.insert(others.begin(), failure.first);
  others.push_back(failure.least);
  return others;
}

/// True if a kernel that declares so fails none of the properties that failed, and none of the others but relations.
bool stands(const Kernel& kernel, const std::string& declares, const KernelRun& run, const Stop& stop) {
  const ChangedKernel humble = declaring(kernel, declares);
  const auto fails = [&](const Property& property, const Problem& problem) {
    stop.check();
    return examine_case(humble, property, problem).outcome == Outcome::failed;
  };
  for (const Failure& failure : run.failures) {
    if (!failure.property) continue;
    if (fails(*failure.property, failure.first) || fails(*failure.property, failure.least)) return false;
    for (const auto& [name, property] : Registry<Property>::all())
      for (const Problem& problem : {failure.least, failure.first})
        if (!property.relation && multiply_adds(problem.shape) <= most_work && fails(property, problem)) return false;
  }
  return true;
}

/// Both declarations; where they name the same field, what the second says of it.
std::string joined(const std::string& first, const std::string& second) {
  const std::vector<DeclaredWord> later = declared_words(second);
  std::string all;
  for (const DeclaredWord& word : declared_words(first))
    if (std::ranges::find(later, word.name, &DeclaredWord::name) == later.end()) all += word.text() + " ";
  return all + second;
}

/// The declaration that explains the failures of both passes, sought for answers and for gradients.
std::optional<SufficientDeclaration> declaration_of(const Kernel& kernel, const KernelRun& run, const Stop& stop) {
  SufficientDeclaration all;
  for (const bool gradients : {false, true}) {
    const Failure* failure = failure_of(run, gradients ? "gradient_bound" : "value_bound");
    if (!failure) continue;
    const ChangedKernel humble = declaring(kernel, all.declares);
    const bool is_last = gradients || !failure_of(run, "gradient_bound");
    const auto accepts = [&](const std::string& declares) { return !is_last || stands(humble, declares, run, stop); };
    if (!all.declares.empty() && accepts("")) continue;
    auto found =
        sufficient_declaration({humble, failing_problems(run, *failure), gradients}, {[&] { stop.check(); }, accepts});
    if (!found) return std::nullopt;
    if (found->declares.empty()) return all.declares.empty() ? found : std::nullopt;
    all.says.insert(all.says.end(), found->says.begin(), found->says.end());
    all.declares = joined(all.declares, found->declares);
    all.problems += found->problems;
  }
  return all;
}

}  // namespace

void find_declaration(const Kernel& kernel, Ledger& ledger, const Stop& stop) {
  const KernelRun& run = ledger.run();
  const auto is_not_finite = [](const Failure& failure) { return failure.verdict.reason == "wrong-non-finite"; };
  if (std::ranges::any_of(run.failures, is_not_finite)) return;
  const bool misses_a_bound = failure_of(run, "value_bound") || failure_of(run, "gradient_bound");
  try {
    if (auto missing = missing_mean(kernel, run, stop))
      ledger.explain({std::move(*missing)}, {});
    else if (const auto codes = other_codes(kernel, run, stop))
      ledger.would_pass(*codes);
    else if (auto declaration = misses_a_bound ? declaration_of(kernel, run, stop) : std::nullopt)
      ledger.would_pass(*std::move(declaration));
  } catch (...) {
    rethrow_unless_of_kernel(std::current_exception());  // a kernel that misbehaves has no answers to explain
  }
}

}  // namespace attestone::inline conformance
