// SPDX-License-Identifier: Apache-2.0
// Memory: nothing outside the outputs is written, everything inside is, and nothing that was there before matters.
#include <algorithm>
#include <fmt/format.h>

#include "conformance/property.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

std::string inapplicable(const Problem&) { return {}; }

bool same_bits(const Outputs& a, const Outputs& b) {
  return std::ranges::equal(a.out.bytes(), b.out.bytes()) &&
         std::ranges::equal(a.log_sum_exp.bytes(), b.log_sum_exp.bytes());
}

/// A tensor before and after one call.
struct Call {
  ConstView before, after;
  bool untouched(index b, index h, index r, index c) const { return before.code(b, h, r, c) == after.code(b, h, r, c); }
};

/// The first element that still holds the poison of both calls; nobody wrote it. Empty if there is none.
std::string unwritten(const char* name, const Call& over_nan, const Call& over_huge) {
  const auto& [batches, heads, most_rows, channels] = over_nan.after.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < over_nan.after.rows(b); ++r)
        for (index c = 0; c < channels; ++c)
          if (over_nan.untouched(b, h, r, c) && over_huge.untouched(b, h, r, c))
            return fmt::format("{}[b{}, h{}, q{}, c{}] was never written", name, b, h, r, c);
  return {};
}

/// What the kernel answers to the same problem with other inputs: the stale memory of a previous call.
Outputs previous_answer(Trial& trial) {
  Problem other = trial.problem();
  ++other.seed;
  return trial.run(filled(other)).outputs;
}

/// What one call did to memory that is none of its business.
Verdict trespass(const KernelAnswer& answer) {
  if (answer.inputs_changed) return Verdict::failed("input-changed", "the inputs differ after the call");
  if (!answer.outputs.out.guards_intact())
    return Verdict::failed("out-of-bounds-write", "bytes around out, or between its rows, were changed");
  if (!answer.outputs.log_sum_exp.guards_intact())
    return Verdict::failed("out-of-bounds-write", "bytes around log_sum_exp were changed");
  return Verdict::passed();
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Inputs& inputs = trial.inputs();
  const Outputs nan = poisoned(problem, Poison::nan), huge = poisoned(problem, Poison::huge);
  const KernelAnswer over_nan = trial.run(inputs, nan), over_huge = trial.run(inputs, huge);
  const KernelAnswer over_stale = trial.run(inputs, previous_answer(trial)), again = trial.run(inputs, nan);

  for (const KernelAnswer* answer : {&over_nan, &over_huge, &over_stale})
    if (const Verdict verdict = trespass(*answer); verdict.outcome == Outcome::failed) return verdict;
  for (const auto& [name, tensor] :
       {std::pair("out", &Outputs::out), std::pair("log_sum_exp", &Outputs::log_sum_exp)}) {
    const std::string place = unwritten(name, {(nan.*tensor).view(), (over_nan.outputs.*tensor).view()},
                                        {(huge.*tensor).view(), (over_huge.outputs.*tensor).view()});
    if (!place.empty()) return Verdict::failed("unwritten", place);
  }
  const bool deterministic = same_bits(over_nan.outputs, again.outputs);
  if (deterministic &&
      !(same_bits(over_nan.outputs, over_huge.outputs) && same_bits(over_nan.outputs, over_stale.outputs)))
    return Verdict::failed("depends-on-poison", "other contents of the output before the call gave another answer");
  const index documented = trial.kernel().workspace_bytes(problem);
  if (over_nan.peak_workspace > documented)
    return Verdict::failed(
        "memory", fmt::format("took {} bytes of workspace, documents {}", over_nan.peak_workspace, documented));
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "guards",
    .claim = "writes every element of its outputs and nothing else, leaves its inputs alone, and does not care what "
             "memory held before",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone
