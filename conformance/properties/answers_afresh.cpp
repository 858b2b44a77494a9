// SPDX-License-Identifier: Apache-2.0
// Nothing is remembered: with V negated at the same places in memory, the answer is another one.
#include "conformance/properties/property.hpp"
#include "conformance/trial/change_signs.hpp"
#include "conformance/trial/same_bits.hpp"
#include "reference/call/visible_pairs.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem&) { return {}; }

/// True if some element of O is neither zero nor NaN, so that its sign can be seen. By convention rows without keys may
/// answer something else than V: they say nothing then.
bool has_a_sign(Trial& trial, const ConstView& out) {
  const bool only_with_keys = trial.conventions().empty_rows != EmptyRows::zero;
  const auto visible =
      only_with_keys ? std::make_optional<VisiblePairs>(trial.problem(), trial.inputs()) : std::nullopt;
  bool found = false;
  for_each_element(out, [&](index b, index h, index r, index c) {
    if (found || (visible && visible->count(b, h, r) == 0)) return;
    const double value = out.value(b, h, r, c);
    found = value > 0 || value < 0;
  });
  return found;
}

Verdict check(Trial& trial) {
  const Inputs& inputs = trial.inputs();
  Inputs negated = inputs;
  change_signs(negated.value);
  // Among three calls in a row, two that follow each other find their tensors at the same addresses, wherever a door to
  // outside kernels puts them.
  const KernelAnswer before = trial.run(inputs), changed = trial.run(negated), after = trial.run(inputs);
  if (!has_a_sign(trial, before.outputs.out.view())) return Verdict::passed();
  if (same_bits(changed.outputs.out, before.outputs.out) || same_bits(after.outputs.out, changed.outputs.out))
    return Verdict::failed("stale-answer", "V was negated between two calls, and O stayed the same bit for bit");
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "answers_afresh",
    .claim = "with V negated at the same places in memory the answer is another one: nothing is remembered",
    .inapplicable = inapplicable,
    .check = check,
    .needs = {TensorName::out},
}};

}  // namespace
}  // namespace attestone::inline conformance
