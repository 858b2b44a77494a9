// SPDX-License-Identifier: Apache-2.0
// Holding an answer against every variant.
#include "conformance/diagnosis/diagnose.hpp"

#include <algorithm>
#include <cmath>

#include "conformance/trial.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

// Multiply-adds of one variant; there are some fifty.
constexpr double most_work = 0x1p23;
// An answer is far nearer to a variant than to the truth by this factor, in the mean square.
constexpr double far_nearer = 100;
// Variants whose distances differ by less cannot be told apart on this problem.
constexpr double indistinct = 1.01;

double work_of(const Shape& s) {
  return static_cast<double>(s.rows()) * static_cast<double>(s.keys) * static_cast<double>(s.dim + s.value_dim);
}

/// One tensor of the answer beside the truth, and how far any element may be off.
struct Observed {
  std::vector<double> got, truth;
  double allowed = 0;
};

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

/// Whether every tensor is near to the variant; then the sum of the distances, otherwise nothing. Something must be far
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

double keep_finite(double bound) { return std::isfinite(bound) ? bound : 0; }

Observed observed_forward(Trial& trial, bool log_sum_exp) {
  const Shape& s = trial.problem().shape;
  const ConstView view = log_sum_exp ? trial.answer().outputs.log_sum_exp.view() : trial.answer().outputs.out.view();
  Observed observed{packed_values(view), {}};
  const BoundTable& bounds = trial.bounds();
  for (std::size_t place = 0; place < bounds.places().size(); ++place)
    for (index c = log_sum_exp ? log_sum_exp_channel : 0; c < (log_sum_exp ? 0 : s.value_dim); ++c) {
      const RowPlace& at = bounds.places()[place];
      observed.truth.push_back(log_sum_exp ? trial.truth().log_sum_exp(at.batch, at.head, at.row).value
                                           : trial.truth().out(at.batch, at.head, at.row, c).value);
      observed.allowed = std::max(observed.allowed, keep_finite(bounds.deterministic(place, c)));
    }
  return observed;
}

std::vector<Observed> observed_gradients(Trial& trial) {
  std::vector<Observed> all;
  for (const ComparedGradient& gradient :
       compared_gradients(trial.backward().truth(), trial.backward().bounds(), trial.backward().answer().gradients)) {
    if (gradient.role == Role::bias || gradient.role == Role::sink) continue;
    Observed observed{packed_values(gradient.got.view()), {}};
    for (index i = 0; i < element_count(gradient.truth.extents()); ++i) {
      observed.truth.push_back(gradient.truth.at(0, 0, 0, i).value);
      observed.allowed = std::max(observed.allowed, keep_finite(gradient.bounds.deterministic(0, 0, 0, i)));
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

std::vector<Finding> diagnose_there(const AnyKernel& kernel, const Problem& problem) {
  Trial trial(kernel, problem);
  const std::optional<Variant::Pass> pass = wrong_pass(trial);
  if (!pass) return {};
  const std::vector<Observed> observed =
      *pass == Variant::Pass::backward ? observed_gradients(trial)
                                       : std::vector{observed_forward(trial, *pass == Variant::Pass::log_sum_exp)};
  std::vector<std::pair<double, Finding>> found;
  for (const Variant& variant : variants_of(problem)) {
    if (variant.pass != *pass) continue;
    Definition definition(problem, trial.inputs());
    variant.change(definition);
    if (const auto d = explained(observed, answer_of(definition, *pass)))
      found.push_back({*d, {variant.name, variant.says, variant.look_at, problem.text()}});
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Finding> findings;
  for (auto& [d, finding] : found)
    if (d <= indistinct * found.front().first) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace

std::vector<Variant> variants_of(const Problem& problem) {
  std::vector<Variant> all;
  for (const auto& [name, family] : Registry<VariantFamily>::all())
    for (Variant& variant : family.of(problem)) all.push_back(std::move(variant));
  return all;
}

std::vector<Finding> diagnose(const AnyKernel& kernel, const Problem& problem) {
  if (work_of(problem.shape) > most_work || problem.shape.rows() == 0) return {};
  Problem plain = problem;
  plain.fill = {};
  try {
    std::vector<Finding> findings = diagnose_there(kernel, plain);
    return findings.empty() && !(plain == problem) ? diagnose_there(kernel, problem) : findings;
  } catch (const KernelCrash&) {
    return {};
  }
}

}  // namespace attestone
