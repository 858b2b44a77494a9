// SPDX-License-Identifier: Apache-2.0
// Telling arithmetic and conventions apart in a declaration.
#include "conformance/program/request/declared.hpp"

#include <algorithm>

#include "backends/changed_kernel.hpp"
#include "conformance/run/run.hpp"
#include "reference/numerics/declaration.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

constexpr const char* owner = "the command line";

std::vector<std::string> known_names() {
  std::vector<std::string> known = declarable_names();
  known.emplace_back(DeclaredNumerics::model_word);
  for (const ConventionField& field : convention_fields()) known.emplace_back(field.name);
  return known;
}

}  // namespace

std::optional<Declared> read_declared(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::vector<std::string> known = known_names();
  std::vector<DeclaredWord> numerics, conventions;
  for (const DeclaredWord& word : declared_words(text)) {
    if (std::ranges::find(known, word.name) == known.end())
      word.refuse_name(owner, "numerics or conventions", did_you_mean(word.name, known));
    (names_convention(word.name) ? conventions : numerics).push_back(word);
  }
  with_declared(Conventions{}, conventions, owner);  // a mistake in a value shows here
  return Declared{text, DeclaredNumerics(numerics, owner), conventions};
}

Candidate declaring(const Candidate& candidate, const Declared& declared) {
  const auto numerics = [kernel = candidate.kernel, declared](const Problem& problem) {
    return declared.numerics.on(problem, kernel->numerics(problem));
  };
  const Conventions conventions = with_declared(candidate.kernel->conventions(), declared.conventions, owner);
  KernelOption option = candidate.option;
  option.rest += " --declare=" + quoted(declared.text);
  return {changed(candidate.kernel, {.numerics = numerics, .conventions = conventions}), std::move(option)};
}

}  // namespace attestone::inline conformance
