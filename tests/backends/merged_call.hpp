// SPDX-License-Identifier: Apache-2.0
// The answers of parts merged in double, and judged by the truth of the whole.
#pragma once

#include <cmath>
#include <gtest/gtest.h>

#include "reference/certified/forward/truth.hpp"
#include "reference/error_bound/forward/forward_bound.hpp"
#include "reference/numerics/declared_class.hpp"
#include "tests/backends/part_of_call.hpp"

namespace attestone {

/// One row of the whole in double, while parts join.
struct MergedRow {
  explicit MergedRow(index channels) : sums(static_cast<std::size_t>(channels)) {}

  void join(const PartOfCall& part, index b, index h, index i) {
    const double joins = part.log_sum_exp().view().value(b, h, i, 0);
    if (std::isinf(joins) && joins < 0) {
      for (std::size_t c = 0; c < sums.size(); ++c)
        EXPECT_EQ(part.out().view().value(b, h, i, static_cast<index>(c)), 0);
      return;
    }
    const double larger = std::fmax(log_sum_exp, joins), own = std::exp(log_sum_exp - larger),
                 others = std::exp(joins - larger);
    for (std::size_t c = 0; c < sums.size(); ++c)
      sums[c] = own * sums[c] + others * part.out().view().value(b, h, i, static_cast<index>(c));
    weight = own * weight + others;
    log_sum_exp = larger;
  }
  double out(index channel) const { return weight == 0 ? 0 : sums[static_cast<std::size_t>(channel)] / weight; }
  double whole_log_sum_exp() const { return log_sum_exp + std::log(weight); }

  double log_sum_exp = -std::numeric_limits<double>::infinity(), weight = 0;
  std::vector<double> sums;
};

/// A kernel's arithmetic, and merges in double of what parts store.
inline Numerics merged(Numerics numerics, MergeForm form, index parts, const DType& stored) {
  const DType& f64 = dtype("f64");
  numerics.merge.accumulator = {
      .roundoff = f64.unit_roundoff(), .largest = f64.largest(), .underflow = f64.smallest_normal()};
  numerics.merge.form = form;
  numerics.merge.parts = parts;
  numerics.merge.visits = Visits::any;
  numerics.merge.out = numerics.output.cast = gradual_cast(stored);
  numerics.merge.log_sum_exp_roundoff = dtype("f32").unit_roundoff();
  numerics.merge.exp_error = numerics.merge.log_error = 4 * f64.unit_roundoff();
  return numerics;
}

/// An error in units of its bound; infinite for a NaN.
inline double share(double got, double exact, double bound) {
  if (got == exact) return 0;
  const double error = std::abs(got - exact) / bound;
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

/// All rows of the whole, merged from the answers of parts.
class MergedCall {
 public:
  explicit MergedCall(const RandomCall& whole)
      : whole_(whole), rows_(static_cast<std::size_t>(whole.problem.shape.rows()), MergedRow(value_dim())) {}

  void join(const PartOfCall& part) {
    for_each_element(part.log_sum_exp().view(), [&](index b, index h, index i, index) {
      const Extents at = in_whole(whole_.outputs.log_sum_exp.view().extents(), part.of_query, {b, h, i, 0});
      rows_[number(at[0], at[1], at[2])].join(part, b, h, i);
    });
  }

  /// The worst error of any element in units of its bound.
  double worst_share(const Numerics& numerics) const {
    const Truth truth = certify_forward(whole_.problem, whole_.inputs, {.queries = {}, .escalate = false});
    const ForwardBound bounds(whole_.problem, whole_.inputs, numerics);
    double worst = 0;
    for_each_element(whole_.outputs.log_sum_exp.view(), [&](index b, index h, index i, index) {
      const MergedRow& got = rows_[number(b, h, i)];
      const auto bound = bounds.row(b, h, i);
      const Certified& log_sum_exp = truth.log_sum_exp(b, h, i);
      worst =
          std::max(worst, share(got.whole_log_sum_exp(), log_sum_exp.value, bound->log_sum_exp() + log_sum_exp.bound));
      for (index c = 0; c < value_dim(); ++c) {
        const Certified& out = truth.out(b, h, i, c);
        worst = std::max(worst, share(got.out(c), out.value, bound->out(c) + out.bound));
      }
    });
    return worst;
  }

 private:
  index value_dim() const { return whole_.problem.shape.value_dim; }
  std::size_t number(index batch, index head, index query) const {
    const Shape& shape = whole_.problem.shape;
    return static_cast<std::size_t>((batch * shape.heads + head) * shape.queries + query);
  }

  const RandomCall& whole_;
  std::vector<MergedRow> rows_;
};

}  // namespace attestone
