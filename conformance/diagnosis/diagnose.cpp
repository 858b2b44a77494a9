// SPDX-License-Identifier: Apache-2.0
// Holding an answer against every variant.
#include "conformance/diagnosis/diagnose.hpp"

#include <algorithm>

#include "conformance/diagnosis/answered.hpp"
#include "conformance/diagnosis/work.hpp"
#include "reference/problem/problem_fields.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Multiply-adds of one variant; there are some eighty.
constexpr double most_work = 0x1p23;
// Variants whose distances differ by less cannot be told apart on this problem.
constexpr double indistinct = 1.01;

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
/// Returns false if there was no answer.
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

/// Findings that explain the kernel's answer to this problem and that its answer to the failing one does not refute.
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
  // A kernel that fails only where some answers are asked for computes no other attention.
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

}  // namespace attestone::inline conformance
