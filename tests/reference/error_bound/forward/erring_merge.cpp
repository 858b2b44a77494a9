// SPDX-License-Identifier: Apache-2.0
// The four forms, operation by operation.
#include "tests/reference/error_bound/forward/erring_merge.hpp"

#include <algorithm>
#include <cmath>

namespace attestone::emulation {
namespace {

/// Sums o and l under m, or out and lse.
struct Partial {
  double m, l, o, lse;
};

class Merging {
 public:
  explicit Merging(const ErringMerge& recipe) : recipe_(recipe) {}

  Answered row(const std::vector<double>& scores, const std::vector<double>& values) {
    std::vector<Partial> parts;
    for (std::size_t from = 0; from < scores.size(); from += recipe_.keys_per_part) {
      part_ = parts.size();
      parts.push_back(attended(scores, values, from, std::min(from + recipe_.keys_per_part, scores.size())));
    }
    if (recipe_.form == MergeForm::shared_maximum) share_maximum(parts);
    for (part_ = 0; part_ < parts.size(); ++part_) store(parts[part_]);
    part_ = 0;
    const Partial all = folded(parts);
    if (recipe_.form == MergeForm::sigmoid) return {all.o, all.lse};
    if (recipe_.form == MergeForm::late_correction) return {corrected(parts, all.lse), all.lse};
    return {all.o / all.l, all.m + std::log(all.l)};
  }

 private:
  double erring(Step step, double x, int roundings = 1) const {
    const auto found = recipe_.errors.find(step);
    if (found == recipe_.errors.end()) return x;
    return x * std::pow(1 + found->second[std::min(part_, found->second.size() - 1)], roundings);
  }

  bool divides() const { return recipe_.form >= MergeForm::late_correction; }

  static Partial attended(const std::vector<double>& scores, const std::vector<double>& values, std::size_t from,
                          std::size_t to) {
    Partial part{*std::max_element(&scores[from], &scores[0] + to), 0, 0, 0};
    for (std::size_t j = from; j < to; ++j) {
      part.l += std::exp(scores[j] - part.m);
      part.o += std::exp(scores[j] - part.m) * values[j];
    }
    return part;
  }

  static void share_maximum(std::vector<Partial>& parts) {
    double m = parts[0].m;
    for (const Partial& part : parts) m = std::max(m, part.m);
    for (Partial& part : parts) {
      part.l *= std::exp(part.m - m), part.o *= std::exp(part.m - m);
      part.m = m;
    }
  }

  void store(Partial& part) const {
    if (divides()) {
      const double lse = erring(Step::part_maximum, part.m, 5) + std::log(part.l);
      part.lse = erring(Step::stored_log_sum_exp, erring(Step::part_sum, lse, 3));
      part.o = erring(Step::part_division, part.o / part.l, 2);
    } else {
      part.m = erring(Step::stored_maximum, part.m);
      part.l = erring(Step::stored_denominator, part.l);
    }
    part.o = erring(Step::stored_out, part.o);
  }

  Partial folded(std::vector<Partial> parts) {
    if (!recipe_.pairwise) {
      for (std::size_t s = 1; s < parts.size(); ++s, ++part_) parts[0] = merged(parts[0], parts[s]);
      return parts[0];
    }
    while (parts.size() > 1) {
      std::vector<Partial> next;
      for (std::size_t s = 0; s + 1 < parts.size(); s += 2, ++part_) next.push_back(merged(parts[s], parts[s + 1]));
      parts = next;
    }
    return parts[0];
  }

  Partial merged(const Partial& a, const Partial& b) const {
    if (recipe_.form == MergeForm::sigmoid) return by_sigmoid(a, b);
    if (divides()) return {0, 0, 0, step(a.lse, b.lse)};
    Partial all{std::max(a.m, b.m), 0, 0, 0};
    const bool shared = recipe_.form == MergeForm::shared_maximum;
    const auto factor = [&](double m) {
      return shared || m == all.m ? 1 : erring(Step::rescaling_exponential, std::exp(m - all.m));
    };
    const auto product = [&](Step each, double f, double x) { return shared ? x : erring(each, f * x); };
    const double of_a = factor(a.m), of_b = factor(b.m);
    all.l = erring(Step::denominator_addition,
                   product(Step::denominator_product, of_a, a.l) + product(Step::denominator_product, of_b, b.l));
    all.o = erring(Step::addition,
                   product(Step::rescaling_product, of_a, a.o) + product(Step::rescaling_product, of_b, b.o));
    return all;
  }

  /// ln(e^a + e^b).
  double step(double a, double b) const {
    const double x = erring(Step::step_argument, std::min(a, b) - std::max(a, b), 2);
    const double e = x == 0 ? 1 : erring(Step::step_exponential, std::exp(x));
    const double logarithm = erring(Step::step_logarithm, std::log(erring(Step::step_one_plus, 1 + e)));
    const double sum = std::max(a, b) + erring(Step::step_constants, logarithm, 2);
    return erring(Step::step_end, erring(Step::step_sum, sum), 2);
  }

  /// a - logsigmoid(a - b): where b is the larger one, the logarithm returns their distance.
  double sigmoid_step(double a, double b) const {
    const double x = erring(Step::step_argument, a - b, 2);
    const double e = std::exp(-std::abs(x));
    const double logsigmoid =
        std::min(x, 0.0) - std::log(erring(Step::step_one_plus, 1 + (x == 0 ? e : erring(Step::step_exponential, e))));
    const double sum = a - erring(Step::step_constants, erring(Step::step_logarithm, logsigmoid), 2);
    return erring(Step::step_end, erring(Step::step_sum, sum), 2);
  }

  Partial by_sigmoid(const Partial& a, const Partial& b) const {
    const double e = a.lse == b.lse ? 1 : erring(Step::sigmoid_exponential, std::exp(a.lse - b.lse));
    const double sigmoid = erring(Step::sigmoid_quotient, 1 / erring(Step::sigmoid_one_plus, 1 + e), 2);
    const double moved = erring(Step::difference_product, sigmoid * erring(Step::difference, a.o - b.o));
    return {0, 0, erring(Step::subtraction, a.o - moved), sigmoid_step(a.lse, b.lse)};
  }

  double corrected(const std::vector<Partial>& parts, double lse) {
    double out = 0;
    for (part_ = 0; part_ < parts.size(); ++part_) {
      const double argument = erring(Step::late_argument, parts[part_].lse - lse, 2);
      const double weight = erring(Step::late_exponential, std::exp(argument));
      out = erring(Step::addition, out + erring(Step::rescaling_product, weight * parts[part_].o));
    }
    return out;
  }

  const ErringMerge& recipe_;
  std::size_t part_ = 0;
};

}  // namespace

Answered ErringMerge::answer(const std::vector<double>& scores, const std::vector<double>& values) const {
  return Merging(*this).row(scores, values);
}

}  // namespace attestone::emulation
