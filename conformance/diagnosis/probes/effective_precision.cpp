// SPDX-License-Identifier: Apache-2.0
// Counting bits.
#include "conformance/diagnosis/probes/effective_precision.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "conformance/diagnosis/probes/shown_weights.hpp"
#include "conformance/diagnosis/probes/two_keys.hpp"

namespace attestone::inline conformance {
namespace {

// Beyond, the factor log2(e) of a large score costs as much as what is looked for.
constexpr int most_steps = PrecisionReadOut::all_bits - 1;
// An arithmetic that keeps less is wrong in another way than by rounding.
constexpr int fewest_steps = 5;
// Weights are compared with numbers of up to so many bits; by chance a number is one with probability 2^-7.
constexpr int most_weight_bits = 12;
constexpr int weights_compared = 8;

class Probe {
 public:
  Probe(const Kernel& kernel, const Problem& problem, const TwoKeys& at, bool last_channels)
      : trial_(kernel, problem),
        problem_(problem),
        at_(at),
        first_(last_channels ? problem.shape.dim - 1 : 0),
        second_(last_channels ? problem.shape.dim - 2 : 1) {}

  std::optional<PrecisionReadOut> read() {
    const auto operands = bits([&](int m) { return step_of_operands(m); });
    const auto scores = operands ? bits([&](int m) { return step_of_scores(m); }) : std::nullopt;
    const auto values = scores ? bits([&](int m) { return step_of_values(m); }) : std::nullopt;
    const auto weights = values ? weight_bits(std::min(*operands, *scores), *values) : std::nullopt;
    if (!weights) return std::nullopt;
    return PrecisionReadOut{*operands, *scores, *weights, *values};
  }

 private:
  /// `step`: what became of the smallest step beside 2^m of them, in units of that step; 1 if it shows. The largest m
  /// up to which all show, and 1 for the leading bit; nothing if what follows is no rounding: the next three steps must
  /// vanish, or be one or two spacings of numbers with so many bits.
  static std::optional<int> bits(const std::function<double(int)>& step) {
    const auto shows = [](double x) { return std::abs(x - 1) < 0.25; };
    int kept = 0;
    while (kept < most_steps && shows(step(kept + 1))) ++kept;
    if (kept < fewest_steps) return std::nullopt;
    for (int m = kept + 1; m <= std::min(kept + 3, most_steps); ++m) {
      const double x = step(m);
      if (!(x > -0.25 && x < std::exp2(m - kept + 1) + 0.25)) return std::nullopt;
    }
    return kept + 1;
  }

  /// O where V is 1 at one key; NaN if that is no weight.
  double weight(index key, const ElementSource& query_and_key) {
    const KeyRow shown = key_row(problem_, at_.batch, at_.head, key);
    const auto weights = weights_of(trial_, one_key_shown(problem_, shown, query_and_key), at_.batch, at_.head);
    return weights ? (*weights)[static_cast<std::size_t>(at_.query)] : std::nan("");
  }

  struct Weights {
    double moved, still;
    double ratio() const { return still > 0 ? moved / still : std::nan(""); }
  };

  /// The two weights, where K of the still key and of all others is (k, 0), of the moved one (x, y), and Q = (q, r).
  Weights weights(double q, double r, double k, double x, double y) {
    const KeyRow moved = key_row(problem_, at_.batch, at_.head, at_.moved);
    const ElementSource source = [=, this](const Element& e) {
      if (e.tensor == TensorName::query) return e.channel == first_ ? q : e.channel == second_ ? r : 0.0;
      if (e.tensor != TensorName::key) return 0.0;
      if (e.batch == moved.batch && e.head == moved.kv_head && e.row == moved.key)
        return e.channel == first_ ? x : e.channel == second_ ? y : 0.0;
      return e.channel == first_ ? k : 0.0;
    };
    return {weight(at_.moved, source), weight(at_.still, source)};
  }
  double ratio(double q, double r, double k, double x, double y) { return weights(q, r, k, x, y).ratio(); }

  /// The power of two that makes a step of the score nearest to 1; and that step.
  double unit() const { return std::exp2(std::round(-std::log2(std::abs(problem_.scale())))); }
  double step() const { return unit() * problem_.scale(); }

  double step_of_operands(int m) { return std::log(ratio(unit() * std::exp2(m), 0, 1, 1 + std::exp2(-m), 0)) / step(); }
  double step_of_scores(int m) {
    const double q = unit() * std::exp2(std::ceil(m / 2.0)), k = std::exp2(std::floor(m / 2.0));
    return std::log(ratio(q, unit(), k, k, 1)) / step();
  }

  /// V = 1 at the still key beside 2^-m at the moved one; all others 0, and all weights alike.
  double step_of_values(int m) {
    const double small = std::exp2(-m);
    const auto sum = [&](double moved) {
      const KeyRow still_row = key_row(problem_, at_.batch, at_.head, at_.still);
      const Inputs inputs = filled(problem_, [&](const Element& e) {
        if (e.tensor != TensorName::value || e.batch != still_row.batch || e.head != still_row.kv_head) return 0.0;
        return e.row == at_.still ? 1.0 : e.row == at_.moved ? moved : 0.0;
      });
      const auto sums = weights_of(trial_, inputs, at_.batch, at_.head);
      return sums ? (*sums)[static_cast<std::size_t>(at_.query)] : std::nan("");
    };
    return (sum(small) / sum(0) - 1) / small;
  }

  /// Weights e^x of several x < 0, that every format holds, beside a weight of 1. As cast before the division by the
  /// sum their ratios are numbers of so many bits, as cast after it both of them are: the fewest bits for which either
  /// holds, each ratio next to the right one. All bits if every ratio is as right as the other steps let it be; nothing
  /// else.
  std::optional<int> weight_bits(int score_bits, int value_bits) {
    constexpr double is_exact = 0x1p-19;  // a few roundings of f32
    std::vector<Weights> got;
    std::vector<double> right;
    bool all_right = true;
    for (int n = 1; n <= weights_compared; ++n) {
      const double x = n / 8.0, score = x * std::abs(step());
      got.push_back(weights(unit(), 0, 0, step() > 0 ? -x : x, 0));
      right.push_back(std::exp(-score));
      const double allowed = is_exact + error_of_score(right.back(), score_bits) + 2 * std::exp2(1 - value_bits);
      all_right = all_right && std::abs(got.back().ratio() - right.back()) <= allowed * right.back();
    }
    for (int bits = fewest_steps; bits <= most_weight_bits; ++bits) {
      const auto has_bits = [&](double x) {
        int exponent = 0;
        const double scaled = std::ldexp(std::frexp(x, &exponent), bits);
        return std::abs(scaled - std::nearbyint(scaled)) <= is_exact * scaled;
      };
      const auto casts = [&](const Weights& w) { return has_bits(w.ratio()); };
      const auto casts_both = [&](const Weights& w) { return has_bits(w.moved) && has_bits(w.still); };
      bool next = true;
      for (std::size_t n = 0; n < got.size(); ++n)
        next = next && std::abs(got[n].ratio() - right[n]) <=
                           (2 * std::exp2(1 - bits) + error_of_score(right[n], score_bits)) * right[n];
      if (next && (std::all_of(got.begin(), got.end(), casts) || std::all_of(got.begin(), got.end(), casts_both)))
        return bits;
    }
    return all_right ? std::optional(PrecisionReadOut::all_bits) : std::nullopt;
  }

  /// The relative error of e^score when bits of the score are lost.
  static double error_of_score(double weight, int score_bits) { return -std::log(weight) * std::exp2(1 - score_bits); }

  Trial trial_;
  const Problem& problem_;
  TwoKeys at_;
  index first_, second_;  // channels
};

}  // namespace

std::optional<PrecisionReadOut> effective_precision(const Kernel& kernel, const Problem& problem) {
  constexpr int least = PrecisionReadOut::all_bits - 1;
  if (problem.input.precision() <= least || problem.output.precision() <= least) return std::nullopt;
  if (problem.shape.dim < 2 || problem.dropout > 0 || problem.scale() == 0 || !problem.score.terms().empty())
    return std::nullopt;
  const auto places = two_keys(problem);
  if (!places) return std::nullopt;
  Problem forward = problem;
  forward.drop_gradients(), forward.wants.clear();
  const auto first = Probe(kernel, forward, (*places)[0], false).read();
  if (!first) return std::nullopt;
  const auto second = Probe(kernel, forward, (*places)[1], true).read();
  return first == second ? first : std::nullopt;
}

}  // namespace attestone::inline conformance
