// SPDX-License-Identifier: Apache-2.0
// Grouping failures by their words.
#include "conformance/reports/causes.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>

#include "conformance/reports/wording.hpp"

namespace attestone::inline conformance {
namespace {

/// Reason and evidence, every number of which is taken for the same: "expected 0.5, got 0.25 at out[b0, h1]" is what it
/// is for other numbers as well.
std::string words_of(const Verdict& verdict) {
  std::string words = verdict.reason + ':';
  bool in_number = false;
  for (const char c : verdict.evidence) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c));
    const bool goes_on = in_number && (digit || c == '.' || c == 'e' || c == '+' || c == '-');
    if (goes_on) continue;
    in_number = digit;
    words += digit ? '0' : c == '-' ? '0' : c;
    if (c == '-') in_number = true;
  }
  return words;
}

/// Traits of a cause's problems: those that fail one of its properties, against those that pass. Each problem once.
std::optional<SharedTraits> shared_by(const KernelRun& run, const Cause& cause) {
  std::set<const Property*> properties{cause.failure->property};
  for (const Failure* other : cause.others) properties.insert(other->property);
  std::vector<Problem> failing, passing;
  std::set<std::string> failed, seen;
  for (const Case& c : run.cases)
    if (properties.count(c.property) && c.verdict.outcome == Outcome::failed && failed.insert(c.problem.text()).second)
      failing.push_back(c.problem);
  for (const Case& c : run.cases)
    if (properties.count(c.property) && c.verdict.outcome == Outcome::passed && !failed.count(c.problem.text()) &&
        seen.insert(c.problem.text()).second)
      passing.push_back(c.problem);
  return shared_traits(failing, passing);
}

}  // namespace

std::vector<Cause> causes(const KernelRun& run) {
  std::vector<Cause> all;
  for (const Failure& failure : run.failures) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Cause& known) {
      return failure.property && known.failure->property &&
             words_of(known.failure->verdict) == words_of(failure.verdict);
    });
    if (same == all.end())
      all.push_back({&failure, {}, {}});
    else
      same->others.push_back(&failure);
  }
  for (Cause& cause : all)
    if (cause.failure->property) cause.shared = shared_by(run, cause);
  return all;
}

std::vector<const Failure*> failures_of(const Cause& cause) {
  std::vector<const Failure*> all{cause.failure};
  all.insert(all.end(), cause.others.begin(), cause.others.end());
  return all;
}

std::string others_text(const Cause& cause) {
  std::string text;
  for (const Failure* other : cause.others)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name_of(*other),
                        other->count > 1 ? fmt::format(" ({} cases)", other->count) : "");
  return text;
}

}  // namespace attestone::inline conformance
