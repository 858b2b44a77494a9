// SPDX-License-Identifier: Apache-2.0
// Answers, truths and variants as lists of numbers.
#include "conformance/diagnosis/answered.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/conventions/read_by_the_rules.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone::inline conformance {
namespace {

// An answer is far nearer to a variant than to the truth by this factor, in the mean square.
constexpr double far_nearer = 100;

/// The mean square of a - b; infinite where one is finite and the other is not.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::isnan(sum) ? std::numeric_limits<double>::infinity() : sum / static_cast<double>(a.size() + 1);
}

bool all_near(const std::vector<double>& a, const std::vector<double>& b, double allowed) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && !(std::abs(a[i] - b[i]) <= allowed)) return false;
  return true;
}

/// The sum of the distances if every tensor is near to the variant, otherwise nothing. Some element must be far
/// from the truth.
std::optional<double> explained(const std::vector<Observed>& observed,
                                const std::vector<std::vector<double>>& variant) {
  double to_variant = 0, to_truth = 0;
  for (std::size_t t = 0; t < observed.size(); ++t) {
    if (!all_near(observed[t].got, variant[t], observed[t].allowed)) return std::nullopt;
    to_variant += distance(observed[t].got, variant[t]);
    to_truth += distance(observed[t].got, observed[t].truth);
  }
  return to_truth > far_nearer * to_variant ? std::optional(to_variant) : std::nullopt;
}

Observed observed_forward(Trial& trial, bool log_sum_exp) {
  const Shape& s = trial.problem().shape;
  const ConstView view = log_sum_exp ? trial.answer().outputs.log_sum_exp.view() : trial.answer().outputs.out.view();
  Observed observed{packed_values(view), {}};
  const BoundTable& bounds = trial.bounds();
  for (std::size_t place = 0; place < bounds.places().size(); ++place)
    for (index c = log_sum_exp ? log_sum_exp_channel : 0; c < (log_sum_exp ? 0 : s.value_dim); ++c) {
      const RowPlace& at = bounds.places()[place];
      const Certified& right = log_sum_exp ? trial.truth().log_sum_exp(at.batch, at.head, at.row)
                                           : trial.truth().out(at.batch, at.head, at.row, c);
      const double by_the_rules = !log_sum_exp && bounds.row(place).visible_keys == 0 ? 0 : right.value;
      observed.expect(right, by_the_rules, log_sum_exp ? trial.conventions().log_sum_exp_unit() : 1);
      observed.allow(bounds.deterministic(place, c));
    }
  return observed;
}

std::vector<Observed> observed_gradients(Trial& trial) {
  std::vector<Observed> all;
  for (const ComparedGradient& gradient :
       compared_gradients(trial.backward().truth(), trial.backward().bounds(), trial.backward().answer().gradients)) {
    if (gradient.tensor == TensorName::dbias || gradient.tensor == TensorName::dsink) continue;
    Observed observed{packed_values(gradient.got.view()), {}};
    for (index i = 0; i < element_count(gradient.truth.extents()); ++i) {
      observed.expect(gradient.truth.at(0, 0, 0, i), gradient.truth.at(0, 0, 0, i).value);
      observed.allow(gradient.bounds.deterministic(0, 0, 0, i));
    }
    all.push_back(std::move(observed));
  }
  return all;
}

/// Which answer is wrong first, if any is.
std::optional<Variant::Pass> wrong_pass(Trial& trial) {
  const Comparison forward = trial.compare_with_truth(trial.answer().outputs);
  if (!forward.conforms()) return forward.worst->tensor == "out" ? Variant::Pass::forward : Variant::Pass::log_sum_exp;
  if (!trial.problem().backward) return std::nullopt;
  const bool right = trial.backward().compare_with_truth(trial.backward().answer().gradients).conforms();
  return right ? std::nullopt : std::optional(Variant::Pass::backward);
}

std::vector<std::vector<double>> answer_of(const Definition& definition, Variant::Pass pass) {
  if (pass == Variant::Pass::backward) {
    DefinedGradients gradients = definition.backward();
    return {std::move(gradients.query), std::move(gradients.key), std::move(gradients.value)};
  }
  DefinedAnswer answer = definition.forward();
  return {pass == Variant::Pass::forward ? std::move(answer.out) : std::move(answer.log_sum_exp)};
}

}  // namespace

void Observed::expect(const Certified& right, double by_the_rules, double unit) {
  got[truth.size()] = read_by_the_rules(unit * got[truth.size()], right, by_the_rules);
  truth.push_back(by_the_rules);
}

void Observed::allow(double bound) {
  if (std::isfinite(bound))
    allowed = std::max(allowed, bound);
  else
    unbounded = true;
}

Answered::Answered(const Kernel& kernel, const Problem& problem) : problem_(problem), trial_(kernel, problem_) {
  pass_ = wrong_pass(trial_);
}

std::optional<double> Answered::explained_by(const Variant& variant) {
  return explained(observed(variant.pass), answer_of_variant(variant));
}

bool Answered::allows(const Variant& variant) {
  const std::vector<Observed>& seen = observed(variant.pass);
  const std::vector<std::vector<double>> answer = answer_of_variant(variant);
  for (std::size_t t = 0; t < seen.size(); ++t)
    for (std::size_t i = 0; i < answer[t].size() && !seen[t].unbounded; ++i)
      if (std::abs(seen[t].got[i] - answer[t][i]) > seen[t].allowed && std::isfinite(answer[t][i])) return false;
  return true;
}

const std::vector<Observed>& Answered::observed(Variant::Pass pass) {
  auto& seen = observed_[pass];
  if (seen.empty())
    seen = pass == Variant::Pass::backward ? observed_gradients(trial_)
                                           : std::vector{observed_forward(trial_, pass == Variant::Pass::log_sum_exp)};
  return seen;
}

std::vector<std::vector<double>> Answered::answer_of_variant(const Variant& variant) {
  Definition definition(problem_, trial_.inputs());
  variant.change(definition);
  return answer_of(definition, variant.pass);
}

}  // namespace attestone::inline conformance
