// SPDX-License-Identifier: Apache-2.0
// Wrong answers from right weights: normalisation, dropout, empty rows, log_sum_exp.
#include <cmath>
#include <numbers>

#include "conformance/diagnosis/variant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Change = std::function<void(Definition&)>;

Change out_times(double factor) {
  return [factor](Definition& d) { d.out_factor = factor; };
}

void add_outputs(std::vector<Variant>& all) {
  all.push_back({"all zeros", "O is zero everywhere", "whether the kernel writes its output", out_times(0)});
  all.push_back({"negated", "O has the wrong sign", "signs", out_times(-1)});
  all.push_back({"half", "O is half of what it should be", "what is counted twice in the denominator", out_times(0.5)});
  all.push_back({"twice", "O is twice what it should be", "what is added twice", out_times(2)});
  all.push_back({"mean of V", "every key that a query sees weighs the same", "whether scores are computed at all",
                 [](Definition& d) { d.score = [](const Pair&, double) { return 0.0; }; }});
  all.push_back({"not normalised", "O is not divided by the sum of the weights", "the last step of the kernel",
                 [](Definition& d) { d.normalised = false; }});
  all.push_back({"softmax over queries", "the weights of a key add up to 1, not those of a query",
                 "the axis of the softmax", [](Definition& d) { d.over_queries = true; }});
  all.push_back({"empty rows average V", "a query that sees nothing answers the mean of V",
                 "scores of -1e9 for -infinity", [](Definition& d) { d.empty_rows_average = true; }});
}

void add_dropouts(const Problem& problem, std::vector<Variant>& all) {
  if (problem.dropout == 0) return;
  constexpr const char* place = "the counter and the key of the random numbers, and 1/(1 - rate)";
  const double rate = problem.dropout;
  all.push_back({"dropout ignored", "no pair is dropped", place,
                 [](Definition& d) { d.kept = [](const Pair&) { return 1.0; }; }});
  all.push_back(
      {"dropout not scaled", "weights that are kept are not divided by 1 - rate", place, out_times(1 - rate)});
  all.push_back({"dropout scaled by 1/rate", "weights that are kept are divided by the rate", place,
                 out_times((1 - rate) / rate)});
  all.push_back({"dropout before the sum", "the denominator counts only pairs that are kept", place,
                 [](Definition& d) { d.counted = [&d](const Pair& at) { return d.dropout.keeps(at) ? 1.0 : 0.0; }; }});
  Problem reseeded = problem;
  ++reseeded.seed;
  all.push_back(
      {"another seed", "the pairs of the next seed are dropped", place, [other = Dropout(reseeded)](Definition& d) {
         d.kept = [other](const Pair& at) { return other.keeps(at) ? other.factor() : 0; };
       }});
  all.push_back(
      {"dropout inverted", "what should be kept is dropped, and the reverse", "the comparison with the threshold",
       [](Definition& d) { d.kept = [&d](const Pair& at) { return d.dropout.keeps(at) ? 0 : d.dropout.factor(); }; }});
}

void add_log_sum_exps(std::vector<Variant>& all) {
  constexpr const char* place = "log_sum_exp = maximum + ln(sum), natural, of scaled scores";
  const auto add = [&](const char* name, const char* says, double (*log_sum_exp)(double, double)) {
    all.push_back(
        {name, says, place, [log_sum_exp](Definition& d) { d.log_sum_exp = log_sum_exp; }, Variant::Pass::log_sum_exp});
  };
  add("log_sum_exp is base 2", "log_sum_exp is a logarithm to base 2",
      [](double m, double l) { return (m + std::log(l)) * std::numbers::log2e; });
  add("log_sum_exp with a maximum of base 2", "the maximum is in units of ln 2, the logarithm is natural",
      [](double m, double l) { return m * std::numbers::log2e + std::log(l); });
  add("log_sum_exp without the maximum", "the maximum is not added back", [](double, double l) { return std::log(l); });
  add("log_sum_exp is the maximum", "the sum is left out", [](double m, double) { return m; });
  add("log_sum_exp is the sum", "the logarithm is left out", [](double m, double l) { return std::exp(m) * l; });
  add("log_sum_exp negated", "log_sum_exp has the wrong sign", [](double m, double l) { return -(m + std::log(l)); });
}

std::vector<Variant> variants(const Problem& problem) {
  std::vector<Variant> all;
  add_outputs(all);
  add_dropouts(problem, all);
  add_log_sum_exps(all);
  return all;
}

const Registration<VariantFamily> registered{{.name = "answers", .of = variants}};

}  // namespace
}  // namespace attestone::inline conformance
