// SPDX-License-Identifier: Apache-2.0
// Reading weights, and refusing to read what is none.
#include "conformance/diagnosis/probes/shown_weights.hpp"

#include <algorithm>
#include <cmath>

namespace attestone::inline conformance {

KeyRow key_row(const Problem& problem, index batch, index head, index key) {
  return {batch, problem.shape.kv_head(head), key};
}

Inputs one_key_shown(const Problem& problem, const KeyRow& shown, const ElementSource& others) {
  return filled(problem, [&](const Element& at) {
    if (at.tensor != TensorName::value) return others(at);
    return at.batch == shown.batch && at.head == shown.kv_head && at.row == shown.key ? 1.0 : 0.0;
  });
}

std::optional<std::vector<double>> weights_of(Trial& trial, const Inputs& inputs, index batch, index head) {
  const KernelAnswer answer = trial.run(inputs);
  const ConstView out = answer.outputs.out.view();
  // Channels differ by no more than their own roundings.
  const double near = 8 * trial.problem().output.unit_roundoff();
  std::vector<double> weights;
  for (index i = 0; i < out.rows(batch); ++i) {
    const double first = out.value(batch, head, i, 0);
    for (index c = 0; c < trial.problem().shape.value_dim; ++c) {
      const double weight = out.value(batch, head, i, c);
      if (!(weight >= 0) || std::isinf(weight) || std::abs(weight - first) > near * std::abs(first))
        return std::nullopt;
    }
    weights.push_back(first);
  }
  return weights;
}

double coarsest_rounding(const Problem& problem, double score) {
  const double formats = 2 * std::max(problem.input.unit_roundoff(), problem.output.unit_roundoff());
  return (6 + 5 * std::abs(score)) * std::max(0x1p-7, formats);
}

}  // namespace attestone::inline conformance
