// SPDX-License-Identifier: Apache-2.0
// Every score in double with its error; those that may be the largest, where that decides no rounding, in MPFR.
#include "reference/certified/forward/max_logits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "reference/certified/forward/possible_row.hpp"
#include "reference/certified/numbers/certified_environment.hpp"
#include "reference/certified/numbers/enclosure.hpp"
#include "reference/certified/numbers/mpfr_enclosure.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

/// The last one holds every sum of products of doubles exactly: without a softcap, all is decided there. With one, what
/// stays open is c tanh x so near to c that no precision tells.
constexpr mpfr_prec_t precisions[] = {128, 512, 4608};

bool all_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

/// A score within `error` of `value`; an infinite error where double says nothing.
struct Known {
  index key;
  double value, error;

  double lowest() const { return value - error; }
  double highest() const { return value + error; }
};

/// One row, and what of its scores is known.
class Row {
 public:
  /// `keys` are all of the kv head, [keys][dim].
  Row(const Problem& problem, const Bias& biases, const Pair& at, std::span<const double> query,
      std::span<const double> keys)
      : problem_(problem), biases_(biases), at_(at), query_(query), keys_(keys) {}

  void meet(index key) {
    const SpecialDot dot = special_dot(query_, of(key), problem_.scale(), problem_.input.smallest_normal());
    const double bias = bias_of(key), raw = dot.value * problem_.scale();
    const bool too_large = !std::isfinite(raw) && all_finite(query_) && all_finite(of(key));
    const double capped = cap(raw), score = capped + bias;
    if (too_large && std::isfinite(bias)) return known_.push_back({key, 0, infinity});
    if (dot.may_flush || std::isnan(score)) is_open_ = true;
    if (score == infinity) is_infinite_ = true;
    if (std::isfinite(score)) known_.push_back({key, score, error_of(dot.magnitude, capped, bias)});
  }

  /// `in_mpfr` becomes true where double did not decide.
  Certified largest(const DType& dtype, bool& in_mpfr) {
    if (is_open_) return {nan, infinity, nan, false, NonFinite::any};
    if (is_infinite_) return {infinity, 0, infinity, true};
    if (known_.empty()) return {-infinity, 0, -infinity, true};
    double lowest = -infinity, highest = -infinity;
    for (const Known& score : known_) {
      lowest = std::max(lowest, score.lowest());
      highest = std::max(highest, score.highest());
    }
    if (!problem_.score.softcap() && std::isfinite(highest)) {
      const double middle = lowest + (highest - lowest) / 2, half = std::max(highest - middle, middle - lowest);
      const Certified found = certified(Enclosure{middle, 0, half * (1 + 0x1p-50)}, dtype);
      if (found.decided) return found;
    }
    in_mpfr = true;
    std::erase_if(known_, [&](const Known& score) { return score.highest() < lowest; });
    Certified found;
    for (const mpfr_prec_t precision : precisions)
      if (found = certified(largest_interval(precision), dtype); found.decided) break;
    return found;
  }

 private:
  std::span<const double> of(index key) const {
    return keys_.subspan(static_cast<std::size_t>(key) * query_.size(), query_.size());
  }
  double bias_of(index key) const { return biases_ ? biases_.of({at_.batch, at_.head, at_.query, key}) : 0; }
  double cap(double raw) const {
    const auto c = problem_.score.softcap();
    return c ? *c * std::tanh(raw / *c) : raw;
  }

  /// dim + 3 roundings of what is summed, and that of the sum with this error, each twice over. The tanh of no library
  /// errs by nearly as much as stands here, and it only chooses whom MPFR looks at.
  double error_of(double magnitude, double capped, double bias) const {
    constexpr double roundoff = 0x1p-53, of_tanh = 0x1p-40;
    // Products of two f64 alone may vanish in double; of narrower formats, a sum of 0 is one of zeros.
    if (magnitude == 0 && capped == 0 && problem_.input != dtype("f64")) return 0;
    const double scale = std::abs(problem_.scale()), terms = static_cast<double>(problem_.shape.dim + 8);
    const double factor = std::max({1.0, scale, problem_.score.softcap().value_or(0)});  // of what has vanished
    const double underflow = 2 * terms * factor * std::numeric_limits<double>::denorm_min();
    const double rounding = 2 * terms * roundoff * (scale * magnitude + std::abs(bias));
    return rounding + underflow + (problem_.score.softcap() ? of_tanh * std::abs(capped) : 0);
  }

  /// Rounded down and up at each step, all of which are monotone.
  MpfrInterval interval(index key, mpfr_prec_t precision) const {
    constexpr mpfr_prec_t product_bits = 2 * std::numeric_limits<double>::digits;
    MpfrInterval sum{Number(precision), Number(precision)};
    Number product(product_bits);
    for (std::size_t c = 0; c < query_.size(); ++c) {
      mpfr_set_d(product, query_[c], MPFR_RNDN);
      mpfr_mul_d(product, product, of(key)[c], MPFR_RNDN);
      mpfr_add(sum.lowest, sum.lowest, product, MPFR_RNDD);
      mpfr_add(sum.highest, sum.highest, product, MPFR_RNDU);
    }
    const double scale = problem_.scale();
    if (scale < 0) std::swap(sum.lowest, sum.highest);
    finish(sum.lowest, scale, bias_of(key), MPFR_RNDD);
    finish(sum.highest, scale, bias_of(key), MPFR_RNDU);
    return sum;
  }

  void finish(Number& score, double scale, double bias, mpfr_rnd_t towards) const {
    mpfr_mul_d(score, score, scale, towards);
    if (const auto c = problem_.score.softcap()) {
      mpfr_div_d(score, score, *c, towards);
      mpfr_tanh(score, score, towards);
      mpfr_mul_d(score, score, *c, towards);
    }
    mpfr_add_d(score, score, bias, towards);
  }

  /// The maximum of numbers in intervals lies between the largest of their lower ends and that of their upper ones.
  MpfrInterval largest_interval(mpfr_prec_t precision) const {
    MpfrInterval all = interval(known_.front().key, precision);
    for (const Known& score : std::span(known_).subspan(1)) {
      const MpfrInterval own = interval(score.key, precision);
      mpfr_max(all.lowest, all.lowest, own.lowest, MPFR_RNDD);
      mpfr_max(all.highest, all.highest, own.highest, MPFR_RNDU);
    }
    return all;
  }

  const Problem& problem_;
  const Bias& biases_;
  Pair at_;
  std::span<const double> query_, keys_;
  std::vector<Known> known_;  ///< the finite scores
  bool is_open_ = false, is_infinite_ = false;
};

/// K of one kv head as it stands there, NaN and infinities included: [keys][dim].
std::vector<double> decoded_keys(const Problem& problem, const Inputs& inputs, index batch, index kv_head) {
  const RowReader reader(inputs.key.view());
  const auto dim = static_cast<std::size_t>(problem.shape.dim);
  std::vector<double> keys(static_cast<std::size_t>(problem.shape.keys) * dim);
  for (index key = 0; key < inputs.key.view().rows(batch); ++key)
    reader.read(batch, kv_head, key, std::span(keys).subspan(static_cast<std::size_t>(key) * dim, dim));
  return keys;
}

}  // namespace

void certify_max_logits(const Problem& problem, const Inputs& inputs, index batch, const Visibility& visibility,
                        bool parallel, Truth& truth) {
  const Shape& s = problem.shape;
  const DType& dtype = problem.log_sum_exp_dtype();
  const Bias biases(problem, inputs);
  const RowReader queries(inputs.query.view());
  const auto rows = std::ssize(truth.queries());
  const index group = s.heads / s.kv_heads;
  index decided_in_mpfr = 0, undecided = 0;
  for (index kv_head = 0; kv_head < s.kv_heads; ++kv_head) {
    const std::vector<double> keys = decoded_keys(problem, inputs, batch, kv_head);
#pragma omp parallel if (parallel) reduction(+ : decided_in_mpfr, undecided)
    {
      const CertifiedEnvironment environment;  // of this thread of the team
      std::vector<double> query(static_cast<std::size_t>(s.dim));
#pragma omp for schedule(dynamic)
      for (index each = 0; each < group * rows; ++each) {
        const index head = kv_head * group + each / rows, row = each % rows;
        const index at = truth.queries()[static_cast<std::size_t>(row)];
        queries.read(batch, head, at, query);
        Row scores(problem, biases, {batch, head, at, 0}, query, keys);
        for_each_key(visibility.row(head, row), [&](index key) { scores.meet(key); });
        bool in_mpfr = false;
        const Certified largest = scores.largest(dtype, in_mpfr);
        truth.max_logits(batch, head, row) = largest;
        decided_in_mpfr += in_mpfr && largest.decided;
        undecided += !largest.decided;
      }
    }
  }
  truth.decisions.in_mpfr += decided_in_mpfr;
  truth.decisions.undecided += undecided;
}

}  // namespace attestone
