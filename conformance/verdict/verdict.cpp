// SPDX-License-Identifier: Apache-2.0
// The words of verdicts.
#include "conformance/verdict/verdict.hpp"

#include "reference/registry.hpp"

namespace attestone::inline conformance {

std::string_view text(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return "passed";
    case Outcome::failed:
      return "failed";
    case Outcome::skipped:
      return "skipped";
    case Outcome::inconclusive:
      return "inconclusive";
  }
  return {};
}

namespace {

Verdict verdict(Outcome outcome, std::string_view reason, std::string evidence) {
  require(Registry<Reason>::find(reason), "every reason of a verdict can be explained");
  Verdict result;
  result.outcome = outcome;
  result.reason = reason;
  result.evidence = std::move(evidence);
  return result;
}

}  // namespace

Verdict Verdict::failed(std::string_view reason, std::string evidence) {
  return verdict(Outcome::failed, reason, std::move(evidence));
}
Verdict Verdict::skipped(std::string why) { return verdict(Outcome::skipped, "refused", std::move(why)); }
Verdict Verdict::inconclusive(std::string_view reason, std::string why) {
  return verdict(Outcome::inconclusive, reason, std::move(why));
}

}  // namespace attestone::inline conformance
