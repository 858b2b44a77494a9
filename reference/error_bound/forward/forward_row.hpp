// SPDX-License-Identifier: Apache-2.0
// The bounds of one row, put together from its scores, weights and sums.
#pragma once

#include <optional>
#include <vector>

#include "reference/error_bound/forward/forward_bound.hpp"
#include "reference/error_bound/forward/value_sums.hpp"

namespace attestone {

/// How far <dO, O> of a kernel may be from the exact one.
struct Projection {
  double deterministic = 0, probabilistic = 0;
  double apart = 0;  ///< if every channel erred on its own: sum |dO_c| B_c
  /// The casts of the weights, which are parts of both: what is cast, on a logarithmic scale, and the largest effect.
  std::vector<Rounded> casts = {};
};

/// Up to here the bound on moved weights is the smaller one; beyond, convexity may bound better.
inline constexpr double convexity_helps_from = 0.5;

/// The terms of docs/tolerance.md for one row; each source file named below holds one kind of bound.
class ForwardRow final : public RowBound {
 public:
  ForwardRow(const DecodedInputs&, const Numerics&, index batch, index head, index query);

  index visible_keys() const override { return static_cast<index>(scores_.keys.size()); }
  double out(index channel) const override;
  double out_probabilistic(index channel) const override;
  double out_probabilistic_at_least(index channel) const override;
  void all_of_out(std::span<double> deterministic, std::span<double> at_least) const override;
  double log_sum_exp() const override;
  double log_sum_exp_probabilistic() const override;
  double log_sum_exp_probabilistic_at_least() const override;
  double max_logits() const override;  // max_logits.cpp
  double mean_value(index channel) const override { return sums_.mean[static_cast<std::size_t>(channel)]; }
  bool infinity_may_be_nan() const override {
    return numerics_.merge.form == MergeForm::sigmoid && weights_.merges.parts > 1;
  }
  GainTerms gain_terms(std::span<const double> direction) const override;

  /// `projected` holds <dO, z v> of each entry.
  Projection projection(std::span<const double> dout, std::span<const double> projected) const;
  /// The sum by windows of what casting the weights of the entries makes, in the worst order of the keys.
  double windowed(std::span<const double> effects) const;
  /// How far casting the value of an entry may move all of its channels alike.
  double value_cast(std::size_t entry) const;  // cast_values.cpp
  /// True if one key has nearly all the weight, so that O, and what is made of it, lies beside numbers of its format.
  bool lies_beside_grid() const;  // gain_terms.cpp
  /// How far sums().out, in double, may be from o_c.
  double noise(std::size_t channel) const;
  const RowScores& scores() const { return scores_; }
  const RowWeights& weights() const { return weights_; }
  const ValueRows& values() const { return values_; }
  const ValueSums& sums() const { return sums_; }

 private:
  // casts_to_one.cpp
  bool is_cast_to_one(std::size_t key) const;
  std::vector<double> moved_by_casts() const;

  // block_casts.cpp
  std::vector<double> block_casts() const;

  // projected_answer.cpp
  std::vector<Rounded> casts_of(std::span<const double> effects) const;

  // gain_terms.cpp
  std::vector<double> cast_effects(std::span<const double> direction) const;
  double saved_by_projection(std::span<const double> direction) const;

  // cast_values.cpp
  double moved_values(std::size_t channel) const;
  double largest_moved_value(std::size_t channel) const;
  double with_cast_values(double sum_of_sizes, double count) const;

  // small_numbers.cpp
  double room_for_values() const;
  bool in_range(std::size_t channel) const;
  double underflow(std::size_t channel) const;
  double merge_underflow(double unit) const;
  double denominator_underflow() const;
  double weight_unit(double denominator) const;
  double differences(std::size_t channel) const;

  // deterministic.cpp
  double numerator_chain() const;
  double denominator_chain() const;
  double own_cast() const;
  double shared_cast() const;
  double cast_size(std::size_t channel) const { return once_.cast_sizes[channel]; }
  std::vector<double> cast_sizes() const;
  double product_roundings() const;
  double division() const;
  double total_weight_error() const;
  double bounded_by_convexity(std::size_t channel) const;
  double finish(std::size_t channel, double error) const;
  /// Terms that every channel needs, worked out once.
  struct Once {
    double numerator_chain, denominator_chain, product_roundings;
    double weight_unit, denominator_underflow, room_for_values, score_window;
    double moved_values;             ///< sum p (1 + tau) of what casting V moves in every channel alike
    double largest_moved_value;      ///< the largest of these
    std::vector<double> cast_sizes;  ///< by channel
    std::vector<double> block_casts;
  };
  Once find_once() const;

  // probabilistic.cpp
  struct Terms;
  double probabilistic(std::size_t channel, const Terms&) const;
  double chain_error(std::size_t channel) const;
  double stored_error(std::size_t channel) const;
  double cast_error(std::size_t channel) const;
  double sum_error(std::size_t channel, double largest_partial_sum) const;
  double storage_error(std::size_t channel, double largest_partial_sum) const;
  double largest_partial_sum(std::size_t channel) const;
  double denominator_error() const;
  double score_window() const;
  double at_least(std::size_t channel, double deterministic) const;
  /// Terms that only probabilistic bounds need, worked out when one is first asked for.
  struct Exponents {
    std::vector<std::vector<double>> possible;
    double recur;
  };
  const Exponents& exponents() const;
  const std::vector<std::size_t>& rank() const;
  double likely_denominator_error() const;

  // log_sum_exp.cpp
  double log_sum_exp_error(double exponentials, double denominator) const;
  double likely_exponentials(double chain) const;
  double log_of_cast() const;
  double below(double exponent) const;

  const DecodedInputs& inputs_;
  const Numerics& numerics_;
  RowScores scores_;
  RowWeights weights_;
  ValueRows values_;
  double dropout_error_;  ///< relative, of a value multiplied by 1 / (1 - rate)
  ValueSums sums_;
  Once once_;
  ValueRange range_;  ///< only where convexity or a merge needs it
  mutable std::optional<Exponents> exponents_;
  mutable std::optional<std::vector<std::size_t>> rank_;
  mutable std::optional<double> likely_denominator_error_;
};

}  // namespace attestone
