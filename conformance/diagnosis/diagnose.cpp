// SPDX-License-Identifier: Apache-2.0
// Holding an answer against every variant.
#include "conformance/diagnosis/diagnose.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "conformance/conventions/read_by_the_rules.hpp"
#include "conformance/diagnosis/work.hpp"
#include "conformance/trial/trial.hpp"
#include "reference/problem_fields.hpp"
#include "reference/registry.hpp"
#include "reference/row_reader.hpp"

namespace attestone {
namespace {

// Multiply-adds of one variant; there are some eighty.
constexpr double most_work = 0x1p23;
// An answer is far nearer to a variant than to the truth by this factor, in the mean square.
constexpr double far_nearer = 100;
// Variants whose distances differ by less cannot be told apart on this problem.
constexpr double indistinct = 1.01;

/// One tensor of the answer beside the truth, and how far any element may be off.
struct Observed {
  std::vector<double> got, truth;
  double allowed = 0;
  bool unbounded = false;  ///< an element has no bound
  /// The next element of the truth; what was got is multiplied by `unit` first.
  void expect(const Certified& right, double by_the_rules, double unit = 1) {
    got[truth.size()] = read_by_the_rules(unit * got[truth.size()], right, by_the_rules);
    truth.push_back(by_the_rules);
  }
  void allow(double bound) {
    if (std::isfinite(bound))
      allowed = std::max(allowed, bound);
    else
      unbounded = true;
  }
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

/// A kernel's answer to one problem, to be held against variants.
class Answered {
 public:
  Answered(const Kernel& kernel, const Problem& problem) : problem_(problem), trial_(kernel, problem_) {
    pass_ = wrong_pass(trial_);
  }
  Answered(const Answered&) = delete;
  Answered& operator=(const Answered&) = delete;

  const Problem& problem() const { return problem_; }
  /// Which answer is wrong; nothing if all are right.
  const std::optional<Variant::Pass>& wrong() const { return pass_; }

  /// The distance from a variant that explains this pass's answer; nothing from one that does not.
  std::optional<double> explained_by(const Variant& variant) {
    return explained(observed(variant.pass), answer_of_variant(variant));
  }
  /// Whether the answer is one that the variant might have given, be it the right one. What is not finite, or has no
  /// bound, refutes nothing.
  bool allows(const Variant& variant) {
    const std::vector<Observed>& seen = observed(variant.pass);
    const std::vector<std::vector<double>> answer = answer_of_variant(variant);
    for (std::size_t t = 0; t < seen.size(); ++t)
      for (std::size_t i = 0; i < answer[t].size() && !seen[t].unbounded; ++i)
        if (std::abs(seen[t].got[i] - answer[t][i]) > seen[t].allowed && std::isfinite(answer[t][i])) return false;
    return true;
  }

 private:
  const std::vector<Observed>& observed(Variant::Pass pass) {
    auto& seen = observed_[pass];
    if (seen.empty())
      seen = pass == Variant::Pass::backward
                 ? observed_gradients(trial_)
                 : std::vector{observed_forward(trial_, pass == Variant::Pass::log_sum_exp)};
    return seen;
  }
  std::vector<std::vector<double>> answer_of_variant(const Variant& variant) {
    Definition definition(problem_, trial_.inputs());
    variant.change(definition);
    return answer_of(definition, variant.pass);
  }

  const Problem problem_;
  Trial trial_;
  std::optional<Variant::Pass> pass_;
  std::map<Variant::Pass, std::vector<Observed>> observed_;
};

/// The variant of that name for another problem; nothing if it has none.
std::optional<Variant> variant_for(const Problem& problem, const Variant& like) {
  for (Variant& variant : variants_of(problem))
    if (variant.name == like.name && variant.pass == like.pass) return std::move(variant);
  return std::nullopt;
}

bool allows(Answered& answered, const Variant& like) {
  const auto variant = variant_for(answered.problem(), like);
  return variant && answered.allows(*variant);
}
bool explains(Answered& answered, const Variant& like) {
  const auto variant = variant_for(answered.problem(), like);
  return variant && answered.explained_by(*variant).has_value();
}

/// The variants that explain one answer, the nearest ones.
std::vector<Variant> candidates(Answered& answered) {
  std::vector<std::pair<double, Variant>> found;
  if (!answered.wrong()) return {};
  for (Variant& variant : variants_of(answered.problem()))
    if (variant.pass == *answered.wrong())
      if (const auto d = answered.explained_by(variant)) found.emplace_back(*d, std::move(variant));
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Variant> all;
  for (auto& [d, variant] : found)
    if (d <= indistinct * found.front().first) all.push_back(std::move(variant));
  return all;
}

/// Keeps the variants that predict what the kernel answers to fresh problems of the same kind: each must allow every
/// answer, and explain one that is wrong.
void keep_predictions(std::vector<Variant>& variants, const Kernel& kernel, Problem problem) {
  const index fresh = 8 * multiply_adds(problem.shape) < most_work ? 3 : 1;
  std::vector<bool> explained(variants.size()), refuted(variants.size());
  for (index n = 0; n < fresh && !variants.empty(); ++n) {
    ++problem.seed;
    Answered answered(kernel, problem);
    for (std::size_t v = 0; v < variants.size(); ++v) {
      if (!allows(answered, variants[v]))
        refuted[v] = true;
      else if (answered.wrong() && explains(answered, variants[v]))
        explained[v] = true;
    }
  }
  std::vector<Variant> kept;
  for (std::size_t v = 0; v < variants.size(); ++v)
    if (explained[v] && !refuted[v]) kept.push_back(std::move(variants[v]));
  variants = std::move(kept);
}

/// Drops those of the variants that are `considered` and that the answer to this problem refutes, if it is wrong too.
/// Whether there was an answer.
template <class Considered>
bool drop_refuted_by(const Problem& problem, std::vector<Variant>& variants, const Kernel& kernel,
                     Considered considered) {
  if (std::ranges::none_of(variants, considered) || multiply_adds(problem.shape) > most_work ||
      !kernel.supports(problem))
    return false;
  try {
    Answered answered(kernel, problem);
    if (answered.wrong() != variants.front().pass) return true;
    std::erase_if(variants, [&](const Variant& like) {
      const auto variant = variant_for(problem, like);
      return considered(like) && variant && !answered.allows(*variant);
    });
    return true;
  } catch (const KernelRefusal&) {  // says nothing of them
  } catch (const KernelFault&) {
  }
  return false;
}

/// Holds variants against answers to larger problems of the same kind: where queries and keys are few, many variants
/// are one, and a mask that hides all looks like a kernel that writes nothing. Those that an odd number of keys does
/// not have, of rings with equal shards, are asked about another number; all are, if the kernel had no answer.
void drop_refuted(std::vector<Variant>& variants, const Kernel& kernel, Problem problem) {
  if (variants.empty() || !problem.lengths.empty() || !problem.query_lengths.empty()) return;
  constexpr index shards = 12;  // which 2, 3, 4 and 6 divide
  problem.shape.queries += 6, problem.shape.keys += 9;
  const bool same_dims = problem.shape.dim == problem.shape.value_dim;
  problem.shape.dim *= 2;  // a scale of 1/8 is the square of the right one with 8 channels only
  if (same_dims) problem.shape.value_dim *= 2;
  if (!layout_conflict(problem).empty()) problem.pack();
  const bool answered = drop_refuted_by(problem, variants, kernel, [](const Variant&) { return true; });
  Problem even = problem;
  even.shape.keys = (problem.shape.keys + shards - 1) / shards * shards;
  drop_refuted_by(even, variants, kernel,
                  [&](const Variant& like) { return !answered || !variant_for(problem, like); });
}

/// What explains the kernel's answer to this problem, and is not refuted by what it answers to the failing one.
std::vector<Finding> diagnose_there(const Kernel& kernel, const Problem& problem, const Problem& other) {
  Answered answered(kernel, problem);
  std::vector<Variant> variants = candidates(answered);
  if (variants.empty()) return {};
  keep_predictions(variants, kernel, problem);
  if (!variants.empty() && !(other == problem)) {
    Answered there(kernel, other);
    std::erase_if(variants, [&](const Variant& variant) { return !allows(there, variant); });
  }
  drop_refuted(variants, kernel, problem);
  std::vector<Finding> findings;
  for (const Variant& variant : variants)
    findings.push_back({variant.name, variant.says, variant.look_at, problem.text()});
  return findings;
}

}  // namespace

std::vector<Variant> variants_of(const Problem& problem) {
  std::vector<Variant> all;
  for (const auto& [name, family] : Registry<VariantFamily>::all())
    for (Variant& variant : family.of(problem)) all.push_back(std::move(variant));
  return all;
}

std::vector<Finding> diagnose(const Kernel& kernel, const Problem& problem) {
  if (multiply_adds(problem.shape) > most_work || problem.shape.rows() == 0) return {};
  // What fails only where some answers are asked for is no other attention.
  Problem whole = problem;
  whole.wants.clear();
  Problem plain = whole;
  plain.fill = {};
  if (!kernel.supports(whole)) return {};
  try {
    std::vector<Finding> findings = diagnose_there(kernel, plain, whole);
    return findings.empty() && !(plain == whole) ? diagnose_there(kernel, whole, plain) : findings;
  } catch (const KernelCrash&) {
    return {};
  } catch (const KernelRefusal&) {  // of the other answers
    return {};
  }
}

}  // namespace attestone
