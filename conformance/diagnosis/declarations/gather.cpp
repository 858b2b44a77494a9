// SPDX-License-Identifier: Apache-2.0
// Asking a kernel about inputs on which arithmetics differ.
#include "conformance/diagnosis/declarations/gather.hpp"

#include <algorithm>
#include <cmath>

#include "conformance/diagnosis/work.hpp"
#include "conformance/verdict/shrink.hpp"
#include "reference/problem/problem_fields.hpp"

namespace attestone::inline conformance {
namespace {

// Multiply-adds of a fresh problem: its bounds are worked out a hundred times.
constexpr double most_work = 0x1p19;

/// Fills that are aimed at roundings, and those that show a fault which normal numbers hide.
constexpr std::string_view fills[] = {"normal",    "wide",  "uniform", "near_ties",   "low_rank",  "monotone",
                                      "tail_mass", "sinks", "ties",    "tied_maxima", "few_valued"};

FillChoice filled_with(std::string_view name) {
  return parse_problem("shape=1x1x1x1x1 fill=" + std::string(name)).fill;
}

/// Scores near 0 of products that are not: what is lost before the sum of q.k shows, and what is lost behind it does
/// not.
ElementSource cancelling(const Problem& problem) {
  return [problem, others = normal_others(problem)](const Element& at) {
    if (at.tensor == TensorName::value) return normal_for(problem, at);
    if (at.tensor != TensorName::query && at.tensor != TensorName::key) return others(at);
    Element even = at;
    even.channel -= at.channel % 2;
    if (even.channel + 1 >= problem.shape.dim) return 0.0;
    const double x = normal_for(problem, even);
    if (at.tensor == TensorName::query) return 4 * x;
    return at.channel == even.channel ? x : -x * (1 + normal_for(problem, at) / 16);
  };
}

/// Scores near 0 of small queries: what is lost in proportion to them does not show.
ElementSource faint(const Problem& problem) {
  return [problem, others = normal_others(problem)](const Element& at) {
    if (at.tensor == TensorName::query) return normal_for(problem, at) / 64;
    return at.tensor == TensorName::key || at.tensor == TensorName::value ? normal_for(problem, at) : others(at);
  };
}

/// Every key has the same V: what is wrong with weights before they are rounded and added up does not show.
ElementSource one_value(const Problem& problem) {
  return [problem, others = normal_others(problem)](Element at) {
    if (at.tensor == TensorName::value) at.row = 0;
    const bool drawn = at.tensor == TensorName::query || at.tensor == TensorName::key || at.tensor == TensorName::value;
    return drawn ? normal_for(problem, at) : others(at);
  };
}

/// Values that are near -1 in the first half of the keys and near 1 in the second, beside keys near 1 and equal
/// weights: sums on their way are large, and all addends small beside them. Likewise dO, over queries.
ElementSource ordered(const Problem& problem) {
  return [problem, others = normal_others(problem)](const Element& at) {
    const auto half = [&](index rows) { return 2 * at.row < rows ? -1.0 : 1.0; };
    const bool over_queries = problem.shape.keys < problem.shape.queries;
    const double near_one = 1 + normal_for(problem, at) / 32;
    switch (at.tensor) {
      case TensorName::query:
        return over_queries ? near_one : near_one / 64;
      case TensorName::key:
        return near_one;
      case TensorName::value:
        return half(problem.shape.keys) * near_one;
      case TensorName::dout:
        return over_queries ? half(problem.shape.queries) * near_one : near_one;
      default:
        return others(at);
    }
  };
}

/// All keys of a row score -6, so that a sink near 0 weighs as much as hundreds of them.
ElementSource unlikely_keys(const Problem& problem) {
  return [problem, others = normal_others(problem)](const Element& at) {
    const double q_k = problem.scale() == 0 ? 0 : -6 / problem.scale();
    if (at.tensor == TensorName::query) return at.channel == 0 ? 1.0 : 0.0;
    if (at.tensor == TensorName::key) return at.channel == 0 ? problem.input.round(q_k) : 0.0;
    return at.tensor == TensorName::value ? normal_for(problem, at) : others(at);
  };
}

/// Eight heads and few keys: of eight, ALiBi's first slope is 1/2.
Problem steeper(const Problem& problem) {
  Problem other = problem;
  other.fill = {};
  other.shape.heads = other.shape.kv_heads = 8;
  other.shape.queries = std::min<index>(problem.shape.queries, 8);
  other.shape.keys = std::min<index>(problem.shape.keys, 8);
  if (!layout_conflict(other).empty()) other.pack();
  return other;
}

/// A smaller problem of the same kind that the kernel takes; the problem itself if it is small, or none is known.
Problem affordable(const Kernel& kernel, Problem problem) {
  while (multiply_adds(problem.shape) > most_work) {
    const Problem* best = nullptr;
    const double now = multiply_adds(problem.shape);
    const std::vector<Problem> below = smaller(problem);
    for (const Problem& each : below) {
      const double work = multiply_adds(each.shape);
      const bool fits = work < now && work > 0 && kernel.takes(each);
      // Prefers the largest affordable problem; else the smallest one.
      const auto rank = [](double x) { return x <= most_work ? x : -x; };
      if (fits && (!best || rank(work) > rank(multiply_adds(best->shape)))) best = &each;
    }
    if (!best) break;
    problem = Problem(*best);
  }
  return problem;
}

/// With some more of everything, and normal inputs; the problem itself where its sequences have lengths of their own.
Problem enlarged(const Kernel& kernel, const Problem& problem) {
  if (!problem.lengths.empty() || !problem.query_lengths.empty()) return problem;
  Problem larger = problem;
  larger.fill = {};  // a captured one may have no more
  Shape& s = larger.shape;
  const bool same_dims = s.dim == s.value_dim;
  s.queries += 6, s.keys += 33, s.dim = 2 * s.dim + 14;
  if (same_dims) s.value_dim = s.dim;
  if (!layout_conflict(larger).empty()) larger.pack();
  return kernel.takes(larger) ? affordable(kernel, larger) : problem;
}

/// The shape with these extents, in few channels if the kernel takes them; the problem itself where its sequences have
/// lengths of their own, or the kernel does not take it.
Problem reshaped(const Kernel& kernel, const Problem& problem, index batch, index queries, index keys, index channels) {
  if (!problem.lengths.empty() || !problem.query_lengths.empty()) return problem;
  Problem other = problem;
  other.fill = {};
  other.shape.batch = batch, other.shape.queries = queries, other.shape.keys = keys;
  Problem narrow = other;
  narrow.shape.dim = narrow.shape.value_dim = channels;
  for (Problem each : {narrow, other}) {
    if (!layout_conflict(each).empty()) each.pack();
    if (kernel.takes(each)) return each;
  }
  return problem;
}

/// Two keys a row: every rounding of a score or a weight shows by itself. Many sequences, as few roundings are large.
Problem of_few_keys(const Kernel& kernel, const Problem& problem) { return reshaped(kernel, problem, 32, 2, 2, 1); }

/// Sums so long that what rounds after each addition falls behind.
Problem of_many_keys(const Kernel& kernel, const Problem& problem) { return reshaped(kernel, problem, 1, 2, 2048, 4); }

/// Likewise of the gradients of K and V.
Problem of_many_queries(const Kernel& kernel, const Problem& problem) {
  return reshaped(kernel, problem, 1, 2048, 2, 4);
}

class Gathering {
 public:
  Gathering(const Kernel& kernel, bool gradients, const std::function<void()>& check)
      : kernel_(kernel), gradients_(gradients), check_(check) {}

  void add_failure(const Problem& problem) {
    check_();
    evidence_.push_back(std::make_unique<Evidence>(kernel_, problem, gradients_));
  }

  void add_fresh(const Problem& problem, std::optional<Inputs> inputs = std::nullopt) {
    if (!kernel_.takes(problem) || multiply_adds(problem.shape) > most_work) return;
    check_();
    try {
      evidence_.push_back(std::make_unique<Evidence>(kernel_, problem, gradients_, std::move(inputs)));
    } catch (const KernelRefusal&) {
    }
  }

  AllEvidence cheapest_first() && {
    std::stable_sort(evidence_.begin(), evidence_.end(), [](const auto& a, const auto& b) {
      return multiply_adds(a->problem().shape) < multiply_adds(b->problem().shape);
    });
    return std::move(evidence_);
  }

 private:
  const Kernel& kernel_;
  bool gradients_;
  const std::function<void()>& check_;
  AllEvidence evidence_;
};

}  // namespace

AllEvidence gather_evidence(const Kernel& kernel, const std::vector<Problem>& failing, bool gradients,
                            const std::function<void()>& check) {
  Gathering all(kernel, gradients, check);
  for (const Problem& problem : failing) all.add_failure(problem);
  const Problem usual = affordable(kernel, failing.front()), large = enlarged(kernel, usual);
  for (Problem problem : {usual, failing.back(), large})
    for (int n = 0; n < 2; ++n) {
      ++problem.seed;
      all.add_fresh(problem);
    }
  for (Problem problem = large; const std::string_view name : fills) {
    ++problem.seed;
    problem.fill = filled_with(name);
    all.add_fresh(problem);
  }
  for (Problem problem : {of_few_keys(kernel, usual), of_many_keys(kernel, usual)})
    for (const std::string_view name : {"normal", "wide", "uniform"}) {
      problem.fill = filled_with(name);
      all.add_fresh(problem);
    }
  if (usual.score.has_sink()) {
    Problem cold = usual;
    cold.fill = {};
    all.add_fresh(cold, filled(cold, unlikely_keys(cold)));
  }
  if (!usual.score.terms().empty()) all.add_fresh(steeper(usual));
  Problem plain = large;
  plain.fill = {};
  for (const auto& source : {cancelling, faint, one_value}) all.add_fresh(plain, filled(plain, source(plain)));
  std::vector<Problem> long_sums{of_many_keys(kernel, usual)};
  if (gradients) long_sums.push_back(of_many_queries(kernel, usual));
  for (const Problem& problem : long_sums) all.add_fresh(problem, filled(problem, ordered(problem)));
  return std::move(all).cheapest_first();
}

}  // namespace attestone::inline conformance
