// SPDX-License-Identifier: Apache-2.0
// The place of elements in memory does not matter.
#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Every element has a place of its own in this layout, and none of them is where packed strides would put it.
constexpr const char* other_layout = "strided";

std::string inapplicable(const Problem& problem) {
  if (problem.layout == other_layout) return "already strided";
  return shares_places(problem) ? "elements share places" : "";
}

/// Copies codes to the same place of another layout.
void copy(const ConstView& from, const View& to) {
  for_each_element(from, [&](index b, index h, index r, index c) { to.set_code(b, h, r, c, from.code(b, h, r, c)); });
}

Verdict check(Trial& trial) {
  Problem strided = trial.problem();
  strided.layout = other_layout;
  if (const Support support = trial.kernel().supports(strided); !support) return Verdict::skipped(support.why);
  Inputs inputs(strided);
  copy(trial.inputs().query.view(), inputs.query.view());
  copy(trial.inputs().key.view(), inputs.key.view());
  copy(trial.inputs().value.view(), inputs.value.view());
  if (inputs.bias) inputs.bias.emplace(*trial.inputs().bias);
  if (inputs.sink) inputs.sink.emplace(*trial.inputs().sink);
  Trial changed(trial.kernel(), strided);
  return metamorphic(trial.compare_with_truth(trial.answer().outputs),
                     trial.compare_with_truth(changed.run(inputs).outputs), "layout",
                     "with gaps after every row, head and batch");
}

const Registration<Property> registered{{
    .name = "layout_irrelevant",
    .claim = "the same elements at other places in memory have the same answer",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
