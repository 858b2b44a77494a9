// SPDX-License-Identifier: Apache-2.0
// Grouped heads are shared heads.
#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  return problem.shape.heads == problem.shape.kv_heads ? "every query head has its own kv head" : "";
}

/// Every query head gets a copy of the kv head that it reads.
void repeat(const Shape& shape, const ConstView& from, const View& to) {
  for_each_element(to, [&](index b, index h, index r, index c) {
    if (r < from.rows(b)) to.set_code(b, h, r, c, from.code(b, shape.kv_head(h), r, c));
  });
}

Verdict check(Trial& trial) {
  Problem ungrouped = trial.problem();
  ungrouped.shape.kv_heads = ungrouped.shape.heads;
  ungrouped.pack();
  if (const Support support = trial.kernel().supports(ungrouped); !support) return Verdict::skipped(support.why);
  Inputs inputs(ungrouped);
  repeat(trial.problem().shape, trial.inputs().key.view(), inputs.key.view());
  repeat(trial.problem().shape, trial.inputs().value.view(), inputs.value.view());
  const ConstView query = trial.inputs().query.view();
  for_each_element(query, [&](index b, index h, index r, index c) {
    inputs.query.view().set_code(b, h, r, c, query.code(b, h, r, c));
  });
  if (inputs.bias) inputs.bias.emplace(*trial.inputs().bias);
  if (inputs.sink) inputs.sink.emplace(*trial.inputs().sink);
  Trial changed(trial.kernel(), ungrouped);
  return metamorphic(trial.compare_with_truth(trial.answer().outputs),
                     trial.compare_with_truth(changed.run(inputs).outputs), "grouping",
                     "with a copy of its kv head for every query head");
}

const Registration<Property> registered{{
    .name = "grouping_irrelevant",
    .claim = "giving every query head a copy of its kv head changes nothing",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
