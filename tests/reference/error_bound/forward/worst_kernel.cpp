// SPDX-License-Identifier: Apache-2.0
// Online softmax in extended precision, with errors put in by hand.
#include "tests/reference/error_bound/forward/worst_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace attestone::emulation {
namespace {

double at(const std::vector<double>& signs, std::size_t key) { return signs.empty() ? 0 : signs[key]; }

/// A sum of addends in one accumulator.
class Sum {
 public:
  Sum(const Accumulator& accumulator, double additions) : accumulator_(accumulator), additions_(additions) {}

  void begin(long double x) { value_ = x; }
  void add(long double x) {
    const long double before = std::abs(value_);
    value_ += x;
    // What truncates is aligned with the larger one first.
    const long double size = accumulator_.truncates ? std::max(before, std::abs(value_)) : std::abs(value_);
    const long double unit = accumulator_.roundoff * size;
    value_ += additions_ * std::min(std::abs(x), unit);
    // Blocks of four: the accumulator and the result are cut as well.
    if (accumulator_.truncates && ++added_ % 4 == 0) value_ += additions_ * 2 * unit;
  }
  void rescale(long double factor, double sign) {
    value_ *= factor;
    value_ += sign * accumulator_.roundoff * std::abs(value_);
  }
  long double value() const { return value_; }

 private:
  Accumulator accumulator_;
  double additions_;
  long double value_ = 0;
  index added_ = 0;
};

class WorstRow {
 public:
  WorstRow(const BareRow& row, const Errors& errors)
      : row_(row),
        n_(row.numerics),
        errors_(errors),
        sum_(n_.value.accumulator, errors.additions),
        denominator_(n_.weight.accumulator, errors.denominator) {}

  long double answer() {
    std::vector<long double> scores;
    for (std::size_t j = 0; j < row_.scores.size(); ++j) scores.push_back(score(j));
    largest_ = n_.weight.tile_keys == 1 ? scores[0] : *std::max_element(scores.begin(), scores.end());
    for (std::size_t j = 0; j < scores.size(); ++j) visit(j, scores[j]);
    const double u = n_.output.accumulator.roundoff;
    long double o = sum_.value() / denominator_.value();
    o *= (1 + u * errors_.division) * (1 + u * errors_.division);
    const double underflow = n_.output.cast.underflow + n_.output.accumulator.underflow;
    return o + errors_.output * (n_.output.cast.roundoff * std::abs(o) + underflow);
  }

 private:
  /// Two roundings of q k with the scale; four of constants and products; storage.
  long double score(std::size_t j) const {
    const long double once = 1 + n_.score.accumulator.roundoff * at(errors_.scores, j);
    return row_.scores[j] * std::pow(once, 6) * (1 + n_.score.stored.roundoff * at(errors_.scores, j));
  }

  void visit(std::size_t j, long double s) {
    if (s > largest_) {
      sum_.rescale(std::exp(largest_ - s), errors_.rescalings);
      denominator_.rescale(std::exp(largest_ - s), -errors_.rescalings);
      largest_ = s;
    }
    long double weight = std::exp(s - largest_);
    if (s != largest_) weight *= 1 + n_.weight.exp_error * at(errors_.exponentials, j);
    weight = flushed(weight, n_.weight.accumulator.underflow);
    const long double cast = cast_of(weight, j);
    const long double summed = n_.weight.denominator_sums_cast ? cast : weight;
    denominator_.add(summed);  // a product with 1, and an addition: as many roundings as those of p v
    const double rate = row_.problem.dropout;
    long double x = rate > 0 ? cast_of(dropped(summed, rate), j) : cast;
    const long double operand = 1 + n_.value.operand_roundoff * errors_.operands;
    x *= operand * operand * row_.values[j];
    x += errors_.products * n_.value.accumulator.roundoff * std::abs(x) +
         2 * errors_.tiny * n_.value.accumulator.underflow;
    j == 0 ? sum_.begin(x) : sum_.add(x);
  }

  long double cast_of(long double weight, std::size_t j) const {
    return flushed(weight, n_.weight.cast.underflow) * (1 + n_.weight.cast.roundoff * at(errors_.casts, j));
  }
  long double flushed(long double x, double normal) const { return errors_.flush && x < normal ? 0 : x; }

  /// The rate as it was rounded; the difference, its reciprocal, the product with it, and that with 1 / l.
  long double dropped(long double x, long double rate) const {
    const double u = n_.value.accumulator.roundoff * errors_.dropout;
    return x * std::pow(1 + static_cast<long double>(u), 4) / (1 - rate * (1 + u));
  }

  const BareRow& row_;
  const Numerics& n_;
  const Errors& errors_;
  long double largest_ = 0;
  Sum sum_, denominator_;
};

}  // namespace

long double worst_answer(const BareRow& row, const Errors& errors) { return WorstRow(row, errors).answer(); }

void expect_reached(const BareRow& row, const Errors& errors, const BoundShares& least) {
  expect_reached(row, worst_answer(row, errors), least);
}

}  // namespace attestone::emulation
