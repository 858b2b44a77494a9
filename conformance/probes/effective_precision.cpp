// SPDX-License-Identifier: Apache-2.0
// Counting bits.
#include "conformance/probes/effective_precision.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "conformance/fill.hpp"
#include "conformance/probes/two_keys.hpp"
#include "conformance/trial.hpp"

namespace attestone {
namespace {

constexpr int most_bits = 21;  // beyond, the factor log2(e) of a large score costs as much as what is looked for

class Probe {
 public:
  Probe(const AnyKernel& kernel, const Problem& problem, const TwoKeys& at)
      : trial_(kernel, problem), problem_(problem), at_(at) {}

  PrecisionReadOut read() {
    return {bits([&](int m) { return tells_operands_apart(m); }), bits([&](int m) { return tells_scores_apart(m); }),
            weight_bits(), bits([&](int m) { return keeps_small_values(m); })};
  }

 private:
  /// The largest m for which `kept` holds, and 1 for the leading bit.
  static int bits(const std::function<bool(int)>& kept) {
    int m = most_bits;
    while (m > 0 && !kept(m)) --m;
    return m + 1;
  }

  double out(const ElementSource& source) {
    return trial_.run(filled(problem_, source)).outputs.out.view().value(at_.batch, at_.head, at_.query, 0);
  }

  /// ln of the ratio of the two weights, where K of the still key is (k, 0), of the moved one (x, y), and Q = (q, r).
  double rise(double q, double r, double k, double x, double y) {
    const auto weight = [&](index key) {
      return out([&](const Element& e) {
        if (e.role == Role::value) return e.row == key ? 1.0 : 0.0;
        if (e.role == Role::query) return e.channel == 0 ? q : e.channel == 1 ? r : 0.0;
        if (e.row == at_.moved) return e.channel == 0 ? x : e.channel == 1 ? y : 0.0;
        return e.channel == 0 ? k : 0.0;
      });
    };
    return std::log(weight(at_.moved) / weight(at_.still));
  }

  /// The power of two that makes a step of the score nearest to 1.
  double unit() const { return std::exp2(std::round(-std::log2(std::abs(problem_.scale())))); }
  bool is_one_step(double rise) const {
    const double right = unit() * problem_.scale();
    return std::abs(rise - right) < 0.25 * std::abs(right);
  }

  bool tells_operands_apart(int m) {
    const double q = unit() * std::exp2(m), k = 1 + std::exp2(-m);
    return is_one_step(rise(q, 0, 1, k, 0));
  }
  bool tells_scores_apart(int m) {
    const double q = unit() * std::exp2(std::ceil(m / 2.0)), k = std::exp2(std::floor(m / 2.0));
    return is_one_step(rise(q, unit(), k, k, 1));
  }

  /// The worst relative error of a weight, of several scores below 1, in bits.
  int weight_bits() {
    double worst = std::exp2(-most_bits);
    for (int n = 1; n <= 8; ++n) {
      const double q = unit(), x = -problem_.input.round(n / 9.0);
      const Inputs inputs = filled(problem_, [&](const Element& e) {
        if (e.role == Role::value) return e.row == at_.moved ? 1.0 : 0.0;
        if (e.role == Role::query) return e.channel == 0 ? q : 0.0;
        return e.row == at_.moved && e.channel == 0 ? x : 0.0;
      });
      const double right =
          certify_forward(problem_, inputs, {.queries = std::vector{at_.query}}).out(at_.batch, at_.head, 0, 0).value;
      const double got = trial_.run(inputs).outputs.out.view().value(at_.batch, at_.head, at_.query, 0);
      worst = std::max(worst, std::abs(got - right) / right);
    }
    return static_cast<int>(std::floor(-std::log2(worst)));
  }

  /// V = 1 at the still key beside 2^-m at the moved one; all others 0, and all weights alike.
  bool keeps_small_values(int m) {
    const double small = std::exp2(-m);
    const auto sum = [&](double moved) {
      return out([&](const Element& e) {
        if (e.role != Role::value) return 0.0;
        return e.row == at_.still ? 1.0 : e.row == at_.moved ? moved : 0.0;
      });
    };
    const double rise = sum(small) / sum(0) - 1;
    return std::abs(rise - small) < 0.5 * small;
  }

  Trial trial_;
  const Problem& problem_;
  TwoKeys at_;
};

}  // namespace

std::optional<PrecisionReadOut> effective_precision(const AnyKernel& kernel, const Problem& problem) {
  if (problem.input.precision <= most_bits || problem.output.precision <= most_bits) return std::nullopt;
  if (problem.shape.dim < 2 || problem.dropout > 0 || !problem.score.terms().empty()) return std::nullopt;
  const std::optional<TwoKeys> at = two_keys(problem);
  if (!at) return std::nullopt;
  Problem forward = problem;
  forward.backward = false;
  return Probe(kernel, forward, *at).read();
}

const PrecisionClass* worthy_class(const PrecisionReadOut& bits, const Numerics& declared) {
  static const PrecisionClass tf32{"tf32", "operands are rounded to eleven bits before they are multiplied"};
  static const PrecisionClass stored_bf16{"bf16-S", "scores are kept in bf16"};
  static const PrecisionClass stored_f16{"f16-S", "scores are kept in f16"};
  static const PrecisionClass short_sums{"14-bit accumulator", "sums keep fourteen bits"};
  static const PrecisionClass cast_to_bf16{"bf16-P", "weights are rounded to bf16 before they meet V"};
  static const PrecisionClass cast_to_f16{"f16-P", "weights are rounded to f16 before they meet V"};
  const auto below = [](int found, int of_class, double declared_roundoff) {
    return found <= of_class && declared_roundoff < std::exp2(-of_class);
  };
  const double sums = std::max(declared.accumulator_roundoff, declared.score_roundoff);
  if (below(bits.scores, 9, sums)) return &stored_bf16;
  if (below(bits.scores, 12, sums)) return &stored_f16;
  if (below(std::min(bits.scores, bits.values), 15, sums)) return &short_sums;
  if (below(bits.operands, 12, std::max(sums, declared.operand_roundoff))) return &tf32;
  if (below(bits.weights, 9, declared.weight_roundoff)) return &cast_to_bf16;
  if (below(bits.weights, 12, declared.weight_roundoff)) return &cast_to_f16;
  return nullptr;
}

}  // namespace attestone
