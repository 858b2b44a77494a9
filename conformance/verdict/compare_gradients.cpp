// SPDX-License-Identifier: Apache-2.0
// Walking through the gradients.
#include "conformance/verdict/compare_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conformance/verdict/accuracy.hpp"
#include "conformance/verdict/element_error.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone::inline conformance {
namespace {

/// The running result of comparing gradients, one after the other, element by element.
class GradientWalk {
 public:
  GradientWalk(Comparison& all, AccuracySums& sums) : all_(all), sums_(sums) {}

  void walk(const ComparedGradient& gradient, const GradientFilter& filter);

 private:
  void compare(const ComparedGradient& gradient, const Pair& at, index row_of_truth, index channel,
               double largest_unit);

  Comparison& all_;  // the last of its errors are those of this gradient
  AccuracySums& sums_;
  bool zeros_pass_ = true, zero_is_right_ = true;  // of this gradient
};

/// The field of this gradient, without errors yet.
ErrorField field_of(const ComparedGradient& gradient) {
  const Extents& extents = gradient.truth.extents();
  std::vector<index> rows(static_cast<std::size_t>(extents[2]));
  std::iota(rows.begin(), rows.end(), index{0});
  const bool of_keys = gradient.tensor == TensorName::dkey || gradient.tensor == TensorName::dvalue;
  const AxisNames axes{"batch", "head", of_keys ? "key" : "query",
                       gradient.tensor == TensorName::dbias ? "key" : "channel"};
  return {text(gradient.tensor), axes, extents, gradient.rows ? *gradient.rows : rows};
}

double unit_of(const ComparedGradient& gradient, const Certified& truth) {
  return unit_in_last_place(gradient.got.view().dtype(), std::isfinite(truth.value) ? truth.value : 0);
}

void GradientWalk::walk(const ComparedGradient& gradient, const GradientFilter& filter) {
  zeros_pass_ = zero_is_right_ = true;
  all_.errors.push_back(field_of(gradient));
  const auto& [batches, heads, rows, channels] = gradient.truth.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h) {
      // The unit of the largest element of the sequence and head, as for O; none if even that may be all rounding.
      double largest_unit = 0;
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) {
          const Certified& truth = gradient.truth.at(b, h, r, c);
          const index row = gradient.rows ? (*gradient.rows)[static_cast<std::size_t>(r)] : r;
          if (std::abs(truth.value) > gradient.bounds.deterministic(b, h, row, c))
            largest_unit = std::max(largest_unit, unit_of(gradient, truth));
        }
      for (index r = 0; r < rows; ++r) {
        const index row = gradient.rows ? (*gradient.rows)[static_cast<std::size_t>(r)] : r;
        if (row >= gradient.got.view().rows(b)) continue;  // padding that a ragged layout does not store
        if (filter && !filter(gradient.tensor, b, h, row)) continue;
        for (index c = 0; c < channels; ++c) compare(gradient, {b, h, row, 0}, r, c, largest_unit);
      }
    }
  const bool large = gradient.tensor != TensorName::dbias && gradient.tensor != TensorName::dsink;
  all_.right_answer_is_empty = all_.right_answer_is_empty && zero_is_right_;
  all_.zeros_would_pass = all_.zeros_would_pass || (large && zeros_pass_ && !zero_is_right_);
}

void GradientWalk::compare(const ComparedGradient& gradient, const Pair& at, index row_of_truth, index channel,
                           double largest_unit) {
  const ConstView view = gradient.got.view();
  const double got = view.value(at.batch, at.head, at.query, channel);
  const Certified& truth = gradient.truth.at(at.batch, at.head, row_of_truth, channel);
  const double deterministic = gradient.bounds.deterministic(at.batch, at.head, at.query, channel);
  const double probabilistic = gradient.bounds.probabilistic(at.batch, at.head, at.query, channel);
  const double ulp = unit_of(gradient, truth);
  zero_is_right_ = zero_is_right_ && truth.value == 0 && truth.bound == 0;
  ++all_.elements;
  zeros_pass_ = zeros_pass_ && truth.non_finite != NonFinite::demanded;
  const std::optional<double> by_kind = non_finite_error(got, truth.non_finite);
  // A NaN that is certain is asked for, whatever bound the arithmetic has.
  if (by_kind) {
    if (*by_kind == 0) return all_.errors.back().set(at.batch, at.head, row_of_truth, channel, 0, ErrorField::none);
  } else if (std::isinf(truth.bound) || (std::isfinite(truth.value) && std::isinf(deterministic))) {
    ++all_.unbounded;
    return;
  }
  sums_.add(got, truth.value, largest_unit);
  zeros_pass_ = zeros_pass_ && std::abs(truth.value) <= probabilistic;
  const double error = by_kind.value_or(element_error(got, truth, deterministic, view.dtype(), nullptr));
  const double r_det = share_of_budget(error, deterministic), r_prob = share_of_budget(error, probabilistic);
  const bool finite = std::isfinite(got) && std::isfinite(truth.value);
  all_.errors.back().set(at.batch, at.head, row_of_truth, channel, r_det,
                         finite && largest_unit > 0 ? std::abs(got - truth.value) / largest_unit : ErrorField::none);
  all_.accuracy.r_det = std::max(all_.accuracy.r_det, r_det);
  if (all_.worst && !(r_prob > all_.worst->r_prob)) return;
  all_.accuracy.r_prob = r_prob;
  WorstElement worst;
  worst.tensor = text(gradient.tensor);
  worst.batch = at.batch, worst.head = at.head, worst.query = at.query, worst.channel = channel;
  worst.expected = truth.value, worst.got = got, worst.ulps = std::abs(got - truth.value) / ulp;
  worst.r_det = r_det, worst.r_prob = r_prob;
  all_.worst = worst;
}

}  // namespace

std::vector<ComparedGradient> compared_gradients(const GradientTruth& truth, const GradientBounds& bounds,
                                                 const Gradients& got) {
  std::vector<ComparedGradient> all;
  const auto add = [&](const ComparedGradient& gradient) {
    if (gradient.got.exists()) all.push_back(gradient);
  };
  add({TensorName::dquery, truth.query, &truth.queries, bounds.query, got.query});
  add({TensorName::dkey, truth.key, &truth.keys, bounds.key, got.key});
  add({TensorName::dvalue, truth.value, &truth.keys, bounds.value, got.value});
  if (truth.bias && got.bias) all.push_back({TensorName::dbias, *truth.bias, nullptr, *bounds.bias, *got.bias});
  if (truth.sink && got.sink) all.push_back({TensorName::dsink, *truth.sink, nullptr, *bounds.sink, *got.sink});
  return all;
}

Comparison compare_gradients(const GradientTruth& truth, const GradientBounds& bounds, const Gradients& got,
                             const GradientFilter& filter) {
  const DefaultFloatingPoint environment;
  Comparison all;
  all.zeros_would_pass = all.mean_would_pass = false;
  AccuracySums sums;
  GradientWalk walk(all, sums);
  for (const ComparedGradient& gradient : compared_gradients(truth, bounds, got)) walk.walk(gradient, filter);
  const double r_det = all.accuracy.r_det, r_prob = all.accuracy.r_prob;
  all.accuracy = sums.accuracy();
  all.accuracy.r_det = r_det, all.accuracy.r_prob = r_prob;
  return all;
}

}  // namespace attestone::inline conformance
