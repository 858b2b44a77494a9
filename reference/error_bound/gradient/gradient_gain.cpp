// SPDX-License-Identifier: Apache-2.0
// The errors that a row has in common are projected on the truth before anything is made positive.
#include "reference/error_bound/gradient/gradient_gain.hpp"

#include <cmath>
#include <span>

#include "reference/error_bound/gradient/gradient_row.hpp"
#include "reference/floating_point_environment.hpp"
#include "reference/row_reader.hpp"

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
          terms.others += size * (bounds.deterministic(b, h, r, c) - rounding);
          if (size > 0) terms.outputs.push_back({std::log(size), rounding * size});
        }
  return terms;
}

/// Moves an error out of what is taken at its worst, into the list of casts.
void move_cast(GainTerms& terms, double quantity, double error, const Agreement& with) {
  terms.others -= error * with.size;
  terms.casts.front().push_back({quantity, error * std::abs(with.signed_sum)});
}

/// The errors of delta of one row, which reaches the gradient by `reach` in all.
void add_delta(GainTerms& terms, const GradientRowBound& row, double reach) {
  terms.others += row.delta_others * reach;
  for (const Rounded& each : row.delta_outputs) terms.outputs.push_back({each.quantity, each.error * reach});
  for (const Rounded& each : row.delta_casts) terms.casts.front().push_back({each.quantity, each.error * reach});
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
        terms_{terms_of_results(bounds.query, truth.query, numerics,
                                std::max(numerics.gradient.cast.roundoff, numerics.weight.cast.roundoff)),
               terms_of_results(bounds.key, truth.key, numerics,
                                std::max(numerics.gradient.cast.roundoff, numerics.weight.cast.roundoff)),
               terms_of_results(bounds.value, truth.value, numerics, numerics.weight.cast.roundoff)} {}

  GradientGainTerms terms() {
    for (index b = 0; b < shape_.batch; ++b)
      for (index h = 0; h < shape_.heads; ++h)
        for (index i = 0; i < shape_.queries; ++i) {
          const GradientRowBound row(inputs_, numerics_, b, h, i);
          if (row.contributes()) add(row, b, h, i);
        }
    return std::move(terms_);
  }

 private:
  static std::span<const double> row_of(const std::vector<double>& packed, index row, index channels) {
    return std::span(packed).subspan(static_cast<std::size_t>(row * channels), static_cast<std::size_t>(channels));
  }

  void add(const GradientRowBound& row, index b, index h, index i) {
    const index g = shape_.kv_head(h);
    const std::vector<double> q = inputs_.query(b, h, i);
    const auto dq = row_of(truth_.query, (b * shape_.heads + h) * shape_.queries + i, shape_.dim);
    std::vector<double> k(static_cast<std::size_t>(shape_.dim)), reach(k.size());
    double reach_of_keys = 0;
    for (std::size_t j = 0; j < row.keys.size(); ++j) {
      const index key = (b * shape_.kv_heads + g) * shape_.keys + row.keys[j];
      key_reader_.read(b, g, row.keys[j], k);
      const Agreement with_query = agreement(k, dq, scale_);
      const Agreement with_key = agreement(q, row_of(truth_.key, key, shape_.dim), scale_);
      const ScoreGradients& from = row.capped;
      const double cast = numerics_.gradient.cast.roundoff * from.largest[j];
      const double quantity = std::log(std::abs(from.value[j]));
      move_cast(terms_.query, quantity, cast, with_query);
      move_cast(terms_.key, quantity, cast, with_key);
      for (std::size_t c = 0; c < k.size(); ++c) reach[c] += scale_ * from.reach[j] * k[c];
      // In dK the error of delta is a part of every pair's.
      reach_of_keys += from.reach[j] * with_key.signed_sum;
      terms_.key.others -= row.delta_error * from.reach[j] * with_key.size;
      if (row.kept[j])
        move_cast(terms_.value, row.exponent[j], row.growth() * row.weight_cast[j],
                  agreement(row.dout, row_of(truth_.value, key, shape_.value_dim), 1));
    }
    double reach_of_query = 0;
    for (std::size_t c = 0; c < reach.size(); ++c) {
      reach_of_query += reach[c] * dq[c];
      terms_.query.others -= row.delta_error * std::abs(reach[c] * dq[c]);
    }
    add_delta(terms_.query, row, std::abs(reach_of_query));
    add_delta(terms_.key, row, std::abs(reach_of_keys));
  }

  const Shape& shape_;
  double scale_;
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
