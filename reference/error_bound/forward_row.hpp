// SPDX-License-Identifier: Apache-2.0
// The bounds of one row, put together from its scores, weights and sums.
#pragma once

#include "reference/error_bound/answer_error.hpp"
#include "reference/error_bound/forward_bound.hpp"
#include "reference/error_bound/value_sums.hpp"

namespace attestone {

/// The terms of docs/tolerance.md for one row; each source file named below holds one kind of bound.
class ForwardRow final : public RowBound {
 public:
  ForwardRow(const DecodedInputs&, const Numerics&, index batch, index head, index query);

  index visible_keys() const override { return static_cast<index>(scores_.size()); }
  double out(index channel) const override;
  double out_probabilistic(index channel) const override;
  double out_probabilistic_at_least(index channel) const override;
  double log_sum_exp() const override;
  double log_sum_exp_probabilistic() const override;
  double mean_value(index channel) const override { return sums_.mean[static_cast<std::size_t>(channel)]; }
  GainTerms gain_terms(std::span<const double> truth) const override;

 private:
  // gain_terms.cpp
  std::vector<double> cast_effects(std::span<const double> truth) const;

  // deterministic.cpp
  double value(std::size_t key, std::size_t channel) const;
  double cast_size(std::size_t channel) const;
  bool in_range(std::size_t channel) const;
  double underflow(std::size_t channel) const;
  double denominator_underflow() const;
  double product_roundings() const;
  double division() const;
  double total_weight_error() const;
  double noise(std::size_t channel) const;
  double bounded_by_convexity(std::size_t channel) const;
  double finish(std::size_t channel, double error) const;

  // probabilistic.cpp
  struct Terms;
  double probabilistic(std::size_t channel, const Terms&) const;
  double chain_error(std::size_t channel) const;
  double stored_error(std::size_t channel) const;
  double cast_error(std::size_t channel) const;
  double sum_error(std::size_t channel) const;
  double largest_partial_sum(std::size_t channel) const;
  double denominator_error() const;
  double score_window() const;

  // log_sum_exp.cpp
  double log_sum_exp_error(double exponentials, double denominator) const;
  double log_of_cast() const;

  const DecodedInputs& inputs_;
  const Numerics& numerics_;
  index batch_, head_;
  RowScores scores_;
  RowWeights weights_;
  ValueSums sums_;
  ValueRange range_;  ///< only where convexity is needed
};

}  // namespace attestone
