// SPDX-License-Identifier: Apache-2.0
// Rows that see nothing.
#include <cmath>
#include <fmt/format.h>

#include "conformance/property.hpp"
#include "reference/registry.hpp"
#include "reference/visible_pairs.hpp"

namespace attestone {
namespace {

std::string inapplicable(const Problem& problem) {
  return VisiblePairs(problem).has_empty_row() ? "" : "every query sees a key";
}

Verdict wrong(const char* tensor, index b, index h, index i, double got, const char* expected) {
  return Verdict::failed("empty-row", fmt::format("query {} of head {} in batch {} sees no key: {} is {}, not {}", i, h,
                                                  b, tensor, got, expected));
}

Verdict check(Trial& trial) {
  const Shape& shape = trial.problem().shape;
  const VisiblePairs visibility(trial.problem());
  const ConstView out = trial.answer().outputs.out.view(), log_sum_exp = trial.answer().outputs.log_sum_exp.view();
  for (index b = 0; b < shape.batch; ++b)
    for (index h = 0; h < shape.heads; ++h)
      for (index i = 0; i < out.rows(b); ++i) {
        if (visibility.count(b, h, i) > 0) continue;
        for (index c = 0; c < shape.value_dim; ++c)
          if (!(out.value(b, h, i, c) == 0)) return wrong("out", b, h, i, out.value(b, h, i, c), "0");
        const double logarithm = log_sum_exp.value(b, h, i, 0);
        if (!(std::isinf(logarithm) && logarithm < 0)) return wrong("log_sum_exp", b, h, i, logarithm, "-inf");
      }
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "empty_rows",
    .claim = "a query that sees no key answers exactly 0, and its log_sum_exp is -inf",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone
