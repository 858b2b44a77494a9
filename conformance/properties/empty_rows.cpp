// SPDX-License-Identifier: Apache-2.0
// Rows that see nothing.
#include <fmt/format.h>
#include <limits>

#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"
#include "reference/visible_pairs.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string inapplicable(const Problem& problem) {
  const bool some = has_empty_row(problem) || problem.score.bias_tensor();
  return some ? "" : "every query sees a key";
}

Verdict wrong(const char* tensor, index b, index h, index i, double got, double expected) {
  return Verdict::failed(
      "empty-row", fmt::format("query {} of head {} in batch {} sees no key: {} is {:.9g}, not {:.9g}", i, h, b, tensor,
                               got, expected));
}

Verdict check(Trial& trial) {
  const Shape& shape = trial.problem().shape;
  const VisiblePairs visibility(trial.problem(), trial.inputs());
  const bool has_sink = trial.problem().score.has_sink();
  const ConstView out = trial.answer().outputs.out.view(), log_sum_exp = trial.answer().outputs.log_sum_exp.view();
  for (index b = 0; b < shape.batch; ++b)
    for (index h = 0; h < shape.heads; ++h)
      for (index i = 0; i < out.rows(b); ++i) {
        if (visibility.count(b, h, i) > 0) continue;
        for (index c = 0; c < shape.value_dim; ++c)
          if (!(out.value(b, h, i, c) == 0)) return wrong("out", b, h, i, out.value(b, h, i, c), 0);
        if (has_sink) continue;  // log_sum_exp is the sink's logit, which base 2 may round: the value bound judges it
        const double logarithm = log_sum_exp.value(b, h, i, 0);
        if (logarithm != -infinity) return wrong("log_sum_exp", b, h, i, logarithm, -infinity);
      }
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "empty_rows",
    .claim = "a query that sees no key answers exactly 0, and its log_sum_exp is -inf if there is no sink",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone
