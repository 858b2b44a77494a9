// SPDX-License-Identifier: Apache-2.0
// Sums of gradients that are known without attention.
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "conformance/properties/property.hpp"
#include "reference/call/visible_pairs.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string inapplicable(const Problem& problem) {
  if (!problem.backward) return without_gradients(problem);
  if (problem.dropout > 0) return "dropout leaves weights that do not add up to 1";
  return problem.score.has_sink() ? "the sink takes a share of the weights" : "";
}

/// The sums of one kv head's gradients over its keys, channel by channel, and their bounds.
struct ColumnSum {
  double got = 0, expected = 0, allowed = 0;
};

/// The weights of a row add up to 1, so sum_j dV_j = sum_i dO_i over the rows that see a key.
ColumnSum of_values(Trial& trial, const VisiblePairs& visible, index batch, index kv_head, index channel) {
  const Shape& s = trial.problem().shape;
  const ConstView dvalue = trial.backward().answer().gradients.value.view(), dout = trial.inputs().dout->view();
  const ElementBounds& bounds = trial.backward().bounds().value;
  ColumnSum sum;
  for (index j = 0; j < dvalue.rows(batch); ++j) {
    sum.got += dvalue.value(batch, kv_head, j, channel);
    sum.allowed += bounds.deterministic(batch, kv_head, j, channel);
    const Certified& truth = trial.backward().truth().value.at(batch, kv_head, j, channel);
    if (!std::isfinite(truth.value) || std::isinf(truth.bound) || truth.non_finite != NonFinite::wrong)
      sum.allowed = infinity;
  }
  const index group = s.heads / s.kv_heads;
  double size = 0;
  for (index h = kv_head * group; h < (kv_head + 1) * group; ++h)
    for (index i = 0; i < s.queries; ++i) {
      if (visible.count(batch, h, i) == 0) continue;
      sum.expected += dout.value(batch, h, i, channel);
      size += std::abs(dout.value(batch, h, i, channel));
    }
  // Both sums are taken here in double, one after the other.
  const double terms = static_cast<double>(s.keys + group * s.queries);
  sum.allowed += terms * dtype("f64").unit_roundoff() * 2 * (size + sum.allowed);
  return sum;
}

Verdict check(Trial& trial) {
  const Shape& s = trial.problem().shape;
  const VisiblePairs visible(trial.problem(), trial.inputs());
  bool conclusive = false;
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.kv_heads; ++h)
      for (index c = 0; c < s.value_dim; ++c) {
        const ColumnSum sum = of_values(trial, visible, b, h, c);
        if (!std::isfinite(sum.allowed) || !std::isfinite(sum.expected)) continue;
        conclusive = conclusive || std::abs(sum.expected) > sum.allowed;
        if (!(std::abs(sum.got - sum.expected) <= sum.allowed))
          return Verdict::failed(
              "gradient-sum", fmt::format("dvalue[b{}, h{}, :, c{}] adds up to {:.9g}, not to the {:.9g} of dout", b, h,
                                          c, sum.got, sum.expected));
      }
  return conclusive ? Verdict::passed() : Verdict::inconclusive("weak-case", "all-zero gradients would pass");
}

const Registration<Property> registered{{
    .name = "gradient_sums",
    .claim = "the weights of a row add up to 1, so dV adds up over its keys to what dout adds up to over the queries",
    .inapplicable = inapplicable,
    .check = check,
    .needs = {TensorName::dvalue},
}};

}  // namespace
}  // namespace attestone::inline conformance
