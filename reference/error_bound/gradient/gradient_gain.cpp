// SPDX-License-Identifier: Apache-2.0
// The errors that a row has in common are projected on the truth before anything is made positive.
#include "reference/error_bound/gradient/gradient_gain.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "reference/error_bound/gradient/gradient_row.hpp"
#include "reference/tensor/floating_point_environment.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {
namespace {

/// x . y and |x| . |y| of the two rows that a pair connects.
struct Agreement {
  double signed_sum = 0, size = 0;
};

Agreement agreement(std::span<const double> x, std::span<const double> y, double scale) {
  Agreement all;
  for (std::size_t c = 0; c < x.size(); ++c) {
    all.signed_sum += scale * x[c] * y[c];
    all.size += std::abs(scale * x[c] * y[c]);
  }
  return all;
}

/// sum B |x|, and the roundings of the result, which are parts of B, as a list of their own.
GainTerms terms_of_results(const ElementBounds& bounds, std::span<const double> truth, const Numerics& numerics,
                           double cast_roundoff) {
  GainTerms terms;
  terms.casts.emplace_back();
  terms.cast_roundoff = cast_roundoff;
  terms.output_roundoff = numerics.output.cast.roundoff;
  const auto& [batches, heads, rows, channels] = bounds.extents();
  std::size_t at = 0;
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c, ++at) {
          const double size = std::abs(truth[at]), rounding = numerics.output.cast.roundoff * size;
          if (size == 0) continue;
          terms.others += size * (bounds.deterministic(b, h, r, c) - rounding);
          terms.outputs.push_back({std::log(size), rounding * size});
        }
  return terms;
}

/// Moves an error out of what is taken at its worst, into the list of casts.
void move_cast(GainTerms& terms, double quantity, double error, const Agreement& with) {
  if (with.size == 0) return;
  terms.others -= error * with.size;
  terms.casts.front().push_back({quantity, error * std::abs(with.signed_sum)});
}

/// The error of one pair is common to all channels that it reaches.
void project(GainTerms& terms, double error, const Agreement& with) {
  if (with.size > 0) terms.others -= error * (with.size - std::abs(with.signed_sum));
}

/// The errors of delta of one row, which reaches the gradient by `reach` in all, and each pair by itself by `apart`.
void add_delta(GainTerms& terms, const GradientRowBound& row, double reach, double apart) {
  if (apart == 0) return;
  terms.others += row.delta_others * reach - row.delta_error * apart;
  double roundings = 0;
  for (const Rounded& each : row.delta_outputs) {
    terms.outputs.push_back({each.quantity, each.error * reach});
    roundings += each.error * reach;
  }
  for (const Rounded& each : row.delta_casts) {
    terms.casts.front().push_back({each.quantity, each.error * reach});
    roundings += each.error * reach;
  }
  if (row.beside_grid) terms.beside_grid += roundings;
}

bool is_zero(std::span<const double> x) {
  return std::ranges::all_of(x, [](double each) { return each == 0; });
}

class GainWalk {
 public:
  GainWalk(const Problem& problem, const Inputs& inputs, const Numerics& numerics, const TrueGradients& truth,
           const GradientBounds& bounds)
      : shape_(problem.shape),
        scale_(std::abs(problem.scale())),
        key_reader_(inputs.key.view()),
        inputs_(problem, inputs),
        numerics_(numerics),
        truth_(truth),
        terms_{of(&bounds.query, truth.query), of(&bounds.key, truth.key), of(&bounds.value, truth.value),
               of(bounds.bias ? &*bounds.bias : nullptr, truth.bias),
               of(bounds.sink ? &*bounds.sink : nullptr, truth.sink)} {
    if (inputs.bias) bias_extents_ = inputs.bias->view().extents();
  }

  GradientGainTerms terms() {
    for (index b = 0; b < shape_.batch; ++b)
      for (index h = 0; h < shape_.heads; ++h) {
        const bool heads_are_asked_for = !is_zero(truth_.bias) || !is_zero(truth_.sink) || reaches_keys(b, h);
        for (index i = 0; i < shape_.queries; ++i) {
          if (!heads_are_asked_for && is_zero(query_row(b, h, i))) continue;
          const GradientRowBound row(inputs_, numerics_, b, h, i);
          if (row.contributes()) add(row, b, h, i);
        }
      }
    for (GainTerms* of : {&terms_.query, &terms_.key, &terms_.value, &terms_.bias, &terms_.sink})
      leave_what_truncates(*of);
    return std::move(terms_);
  }

 private:
  /// Rows or channels of a gradient that is asked about; nothing of another one.
  static std::span<const double> part(const std::vector<double>& packed, index first, index count) {
    if (packed.empty()) return {};
    return std::span(packed).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
  std::span<const double> query_row(index b, index h, index i) const {
    return part(truth_.query, ((b * shape_.heads + h) * shape_.queries + i) * shape_.dim, shape_.dim);
  }
  std::span<const double> key_row(index b, index g, index j) const {
    return part(truth_.key, ((b * shape_.kv_heads + g) * shape_.keys + j) * shape_.dim, shape_.dim);
  }
  std::span<const double> value_row(index b, index g, index j) const {
    return part(truth_.value, ((b * shape_.kv_heads + g) * shape_.keys + j) * shape_.value_dim, shape_.value_dim);
  }
  bool reaches_keys(index b, index h) const {
    const index first = (b * shape_.kv_heads + shape_.kv_head(h)) * shape_.keys;
    return !is_zero(part(truth_.key, first * shape_.dim, shape_.keys * shape_.dim)) ||
           !is_zero(part(truth_.value, first * shape_.value_dim, shape_.keys * shape_.value_dim));
  }
  double bias_of(index b, index h, index i, index j) const {
    if (truth_.bias.empty()) return 0;
    const auto& [batches, heads, rows, keys] = bias_extents_;
    const auto place = [](index extent, index at) { return extent == 1 ? 0 : at; };
    const index row = (place(batches, b) * heads + place(heads, h)) * rows + place(rows, i);
    return truth_.bias[static_cast<std::size_t>(row * keys + place(keys, j))];
  }

  GainTerms of(const ElementBounds* bounds, const std::vector<double>& truth) const {
    if (!bounds || truth.empty()) return {};
    return terms_of_results(*bounds, truth, numerics_,
                            std::max(numerics_.gradient.cast.roundoff, numerics_.weight.cast.roundoff));
  }

  void add(const GradientRowBound& row, index b, index h, index i) {
    add_pairs(row, b, h, i);
    if (!truth_.bias.empty()) add_biases(row, b, h, i);
    if (truth_.sink.empty()) return;
    const double reach = row.sink_weight * std::abs(truth_.sink[static_cast<std::size_t>(h)]);
    add_delta(terms_.sink, row, reach, reach);
  }

  void add_pairs(const GradientRowBound& row, index b, index h, index i) {
    const index g = shape_.kv_head(h);
    const std::vector<double> q = inputs_.query(b, h, i);
    const std::span<const double> dq = query_row(b, h, i);
    std::vector<double> k(static_cast<std::size_t>(shape_.dim)), reach(k.size());
    double reach_of_keys = 0, apart_of_keys = 0;
    for (std::size_t j = 0; j < row.keys.size(); ++j) {
      key_reader_.read(b, g, row.keys[j], k);
      const ScoreGradients& from = row.capped;
      const Agreement with_query = dq.empty() ? Agreement{} : agreement(k, dq, scale_);
      const std::span<const double> dk = key_row(b, g, row.keys[j]), dv = value_row(b, g, row.keys[j]);
      const Agreement with_key = dk.empty() ? Agreement{} : agreement(q, dk, scale_);
      const double cast = numerics_.gradient.cast.roundoff * from.largest[j];
      const double quantity = std::log(std::abs(from.value[j])), own = row.growth() * from.own[j];
      move_cast(terms_.query, quantity, cast, with_query);
      move_cast(terms_.key, quantity, cast, with_key);
      project(terms_.query, own, with_query);
      project(terms_.key, own, with_key);
      for (std::size_t c = 0; c < k.size(); ++c) reach[c] += scale_ * from.reach[j] * k[c];
      // In dK the error of delta is a part of every pair's.
      reach_of_keys += from.reach[j] * with_key.signed_sum;
      apart_of_keys += from.reach[j] * with_key.size;
      if (!row.kept[j] || dv.empty()) continue;
      const Agreement with_value = agreement(row.dout, dv, 1);
      move_cast(terms_.value, row.exponent[j], row.growth() * row.weight_cast[j], with_value);
      if (row.beside_grid)
        terms_.value.beside_grid += row.growth() * row.weight_cast[j] * std::abs(with_value.signed_sum) +
                                    numerics_.output.cast.roundoff * agreement(dv, dv, 1).size;
    }
    double reach_of_query = 0, apart_of_query = 0;
    for (std::size_t c = 0; c < dq.size(); ++c) {
      reach_of_query += reach[c] * dq[c];
      apart_of_query += std::abs(reach[c] * dq[c]);
    }
    add_delta(terms_.query, row, std::abs(reach_of_query), apart_of_query);
    add_delta(terms_.key, row, std::abs(reach_of_keys), apart_of_keys);
  }

  void add_biases(const GradientRowBound& row, index b, index h, index i) {
    double reach = 0, apart = 0;
    for (std::size_t j = 0; j < row.keys.size(); ++j) {
      const double x = bias_of(b, h, i, row.keys[j]);
      const ScoreGradients& from = row.plain;
      move_cast(terms_.bias, std::log(std::abs(from.value[j])), numerics_.gradient.cast.roundoff * from.largest[j],
                {x, std::abs(x)});
      reach += from.reach[j] * x;
      apart += from.reach[j] * std::abs(x);
    }
    add_delta(terms_.bias, row, std::abs(reach), apart);
  }

  const Shape& shape_;
  double scale_;
  Extents bias_extents_{};
  RowReader key_reader_;
  DecodedInputs inputs_;
  const Numerics& numerics_;
  const TrueGradients& truth_;
  GradientGainTerms terms_;
};

}  // namespace

GradientGainTerms gradient_gain_terms(const Problem& problem, const Inputs& inputs, const Numerics& numerics,
                                      const TrueGradients& truth, const GradientBounds& bounds) {
  return in_default_floating_point([&] { return GainWalk(problem, inputs, numerics, truth, bounds).terms(); });
}

}  // namespace attestone
