// SPDX-License-Identifier: Apache-2.0
// Errors that no single element of a gradient shows: all leaning the same way, in the whole of it or in a part.
#include "reference/error_bound/gradient/gradient_gain.hpp"

#include <algorithm>
#include <cmath>

#include "conformance/conventions/read_by_the_rules.hpp"
#include "conformance/properties/gain_verdict.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/properties/tensor_part.hpp"
#include "conformance/trial/stopwatch.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone::inline conformance {
namespace {

/// The facts to tell about one gradient.
struct ToldGradient {
  std::string_view name, statistic;
  AxisNames axes;
  std::vector<double> TrueGradients::*exact;
  GainTerms GradientGainTerms::*terms;
  const CertifiedTensor* truth;  ///< null of a gradient that the problem has not
  const Tensor* got;
  bool decides;  ///< whether a bound that zeros would pass makes the case inconclusive
};

/// The gradients that are wanted.
std::vector<ToldGradient> told_gradients(const GradientTruth& truth, const Gradients& got) {
  const AxisNames of_queries{"batch", "head", "query", "channel"}, of_keys{"batch", "head", "key", "channel"},
      of_pairs{"batch", "head", "query", "key"};
  std::vector<ToldGradient> all{
      {"dQ", "gain of dquery", of_queries, &TrueGradients::query, &GradientGainTerms::query, &truth.query, &got.query,
       true},
      {"dK", "gain of dkey", of_keys, &TrueGradients::key, &GradientGainTerms::key, &truth.key, &got.key, true},
      {"dV", "gain of dvalue", of_keys, &TrueGradients::value, &GradientGainTerms::value, &truth.value, &got.value,
       true}};
  if (truth.bias && got.bias)
    all.push_back({"dBias", "gain of dbias", of_pairs, &TrueGradients::bias, &GradientGainTerms::bias, &*truth.bias,
                   &*got.bias, false});
  if (truth.sink && got.sink)
    all.push_back({"dSink", "gain of dsink", of_queries, &TrueGradients::sink, &GradientGainTerms::sink, &*truth.sink,
                   &*got.sink, false});
  std::erase_if(all, [](const ToldGradient& gradient) { return !gradient.got->exists(); });
  return all;
}

std::vector<double> values_of(const CertifiedTensor& truth) {
  std::vector<double> values;
  for (const Certified& each : truth.elements()) values.push_back(each.value);
  return values;
}

/// The answer; where conventions of its own excuse what it is, the truth in its place.
std::vector<double> judged_values(const ConstView& got, const CertifiedTensor& truth, const Conventions& conventions) {
  std::vector<double> values = packed_values(got);
  for (std::size_t i = 0; i < values.size() && conventions != Conventions{}; ++i) {
    const Certified& right = truth.elements()[i];
    values[i] = read_by_the_rules(values[i], right, right.value);
  }
  return values;
}

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

/// Calls visit(place, position in the packed list).
template <class Visit>
void for_each_place(const Extents& extents, const Visit& visit) {
  std::size_t at = 0;
  for (index b = 0; b < extents[0]; ++b)
    for (index h = 0; h < extents[1]; ++h)
      for (index r = 0; r < extents[2]; ++r)
        for (index c = 0; c < extents[3]; ++c) visit(Extents{b, h, r, c}, at++);
}

/// The gains of all gradients, and of the parts of each that are suspected.
class ToldGains {
 public:
  explicit ToldGains(Trial& trial)
      : trial_(trial), gradients_(told_gradients(trial.backward().truth(), trial.backward().answer().gradients)) {
    trial.backward().bounds();
    for (const ToldGradient& gradient : gradients_) {
      exact_.*gradient.exact = values_of(*gradient.truth);
      answers_.push_back(judged_values(gradient.got->view(), *gradient.truth, trial.conventions()));
    }
  }

  Verdict judged() {
    GradientGainTerms terms =
        gradient_gain_terms(trial_.problem(), trial_.inputs(), trial_.numerics(), exact_, trial_.backward().bounds());
    Verdict worst = Verdict::passed();
    std::vector<std::pair<std::string_view, Gain>> wholes;
    for (std::size_t n = 0; n < gradients_.size(); ++n) {
      const ToldGradient& gradient = gradients_[n];
      Gain whole;
      const Verdict verdict = judged(n, std::move(terms.*gradient.terms), whole);
      const bool counts = verdict.outcome == Outcome::failed || gradient.decides;
      if (counts && severity(verdict) > severity(worst)) worst = verdict;
      wholes.emplace_back(gradient.statistic, std::move(whole));
    }
    if (errors_are_a_sample(trial_.problem(), trial_.numerics()))
      for (const auto& [statistic, whole] : wholes) note_deviation(worst, statistic, whole);
    return worst;
  }

 private:
  static int severity(const Verdict& verdict) {
    return verdict.outcome == Outcome::failed ? 2 : verdict.outcome == Outcome::inconclusive ? 1 : 0;
  }

  Verdict judged(std::size_t n, GainTerms terms, Gain& whole) {
    const ToldGradient& gradient = gradients_[n];
    const std::vector<double>& truth = exact_.*gradient.exact;
    if (!all_finite(truth) || !all_finite(answers_[n]))
      return Verdict::inconclusive("unbounded", "not everything is finite");
    whole.add(truth, answers_[n], std::move(terms));
    const Verdict verdict = gain_verdict(gradient.name, "on the whole", whole, "all-zero gradients would pass");
    if (verdict.outcome == Outcome::failed || !rounds_to_narrow_formats(trial_.numerics())) return verdict;
    for (const TensorPart& part : suspects(n)) {
      const Verdict of_part = gain_verdict(gradient.name, part.text(gradient.axes), gain_of(n, part), "");
      if (of_part.outcome == Outcome::failed) return of_part;
    }
    return verdict;
  }

  std::vector<TensorPart> suspects(std::size_t n) const {
    const std::vector<double>& truth = exact_.*gradients_[n].exact;
    PartScan scan(gradients_[n].truth->extents(), trial_.numerics().output.cast.roundoff);
    for_each_place(gradients_[n].truth->extents(),
                   [&](const Extents& at, std::size_t i) { scan.add(at, truth[i], answers_[n][i]); });
    return scan.suspects();
  }

  Gain gain_of(std::size_t n, const TensorPart& part) {
    const ToldGradient& gradient = gradients_[n];
    const std::vector<double>& truth = exact_.*gradient.exact;
    TrueGradients asked;
    std::vector<double>& direction = asked.*gradient.exact;
    direction = truth;
    for_each_place(gradient.truth->extents(), [&](const Extents& at, std::size_t i) {
      if (!part.holds(at)) direction[i] = 0;
    });
    GradientGainTerms terms =
        gradient_gain_terms(trial_.problem(), trial_.inputs(), trial_.numerics(), asked, trial_.backward().bounds());
    Gain gain;
    gain.add(truth, answers_[n], direction, std::move(terms.*gradient.terms));
    return gain;
  }

  Trial& trial_;
  std::vector<ToldGradient> gradients_;
  TrueGradients exact_;
  std::vector<std::vector<double>> answers_;
};

Verdict check(Trial& trial) {
  ToldGains gains(trial);
  const Stopwatch watch(trial.times.truth);
  return gains.judged();
}

const Registration<Property> registered{{
    .name = "gradient_gain",
    .claim = "each gradient is the truth times 1, on the whole and in each head, block of rows and channel: no factor, "
             "however small, runs through it",
    .inapplicable = without_gradients,
    .check = check,
}};

}  // namespace
}  // namespace attestone::inline conformance
