// SPDX-License-Identifier: Apache-2.0
// Hoeffding's inequality, and the errors to which it is applied.
#include "conformance/properties/mean_error.hpp"

#include <cmath>
#include <fmt/format.h>

#include "reference/call/tensors.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {

Numerics leaning_part(const Numerics& numerics) {
  Numerics part = numerics;
  part.score.prescale.roundoff = part.score.stored.roundoff = 0;
  // Divided weights of two tied keys are a little less than 1/2 in every row, and are all rounded up to it.
  if (!numerics.weight.normalised) part.weight.cast.roundoff = 0;
  part.gradient.cast.roundoff = part.output.cast.roundoff = part.output.log_sum_exp_roundoff = 0;
  part.merge.out.roundoff = 0;
  return part;
}

double leaning_when_rounded(const DType& output, double truth, double leaning) {
  const double below = output.round(truth, Rounding::downward), above = output.round(truth, Rounding::upward);
  const bool decides = std::abs(truth - (below + (above - below) / 2)) <= leaning;
  return decides ? leaning + (above - below) : leaning;
}

BoundedError& BoundedError::operator+=(const BoundedError& other) {
  error += other.error, bound += other.bound, leaning += other.leaning;
  return *this;
}

void MeanError::add(const BoundedError& one) {
  ++count_, sum_ += one.error, leaning_ += one.leaning, squares_ += one.bound * one.bound;
}

double MeanError::allowed() const { return leaning_ + std::sqrt(2 * std::log(2 / alpha) * squares_); }

bool MeanError::is_biased() const { return std::isfinite(allowed()) && !(std::abs(sum_) <= allowed()); }

std::string MeanError::told() const {
  const auto count = static_cast<double>(count_);
  return fmt::format("{} errors have a mean of {:.3g}; more than {:.3g} has a probability below {}", count_,
                     sum_ / count, allowed() / count, alpha);
}

std::string without_mean_error(const Problem& problem) {
  constexpr index fewest = 1024;
  const Shape& s = problem.shape;
  if (problem.fill.name != "tied_maxima") return "needs the fill tied_maxima";
  if (s.batch * s.kv_heads < fewest) return fmt::format("needs {} matrices V or more", fewest);
  if (s.queries == 0 || s.value_dim == 0) return "no elements";
  if (problem.input.precision() > dtype("f16").precision()) return "roundings to f32 are as small as what leans in f32";
  const bool is_plain = problem.mask == Mask() && problem.lengths.empty() && problem.query_lengths.empty() &&
                        problem.score == Score() && problem.dropout == 0 && !shares_places(problem);
  return is_plain ? "" : "plain attention only";
}

MeanError mean_error(const Shape& shape, const std::function<BoundedError(index, index, index)>& row) {
  const index group = shape.heads / shape.kv_heads;
  MeanError errors;
  for (index b = 0; b < shape.batch; ++b)
    for (index kv_head = 0; kv_head < shape.kv_heads; ++kv_head) {
      BoundedError all;
      for (index h = kv_head * group; h < (kv_head + 1) * group; ++h)
        for (index i = 0; i < shape.queries; ++i) all += row(b, h, i);
      errors.add(all);
    }
  return errors;
}

}  // namespace attestone::inline conformance
