// SPDX-License-Identifier: Apache-2.0
// Greedy descent over smaller problems.
#include "conformance/verdict/shrink.hpp"

#include <algorithm>

#include "reference/problem/problem_fields.hpp"

namespace attestone::inline conformance {
namespace {

/// Candidates that differ from `problem`; each is made by a change to a copy.
class Candidates {
 public:
  explicit Candidates(const Problem& problem) : problem_(problem) {}

  template <class Change>
  void add(Change change) {
    Problem changed = problem_;
    change(changed);
    if (changed != problem_ && is_consistent(changed)) all_.push_back(std::move(changed));
  }
  std::vector<Problem> take() { return std::move(all_); }

 private:
  const Problem& problem_;
  std::vector<Problem> all_;
};

/// Lengths follow the extents down: no more of them than sequences, none longer than the shape.
void fit_lengths(Problem& problem) {
  const auto fit = [&](std::vector<index>& lengths, index extent) {
    if (lengths.empty()) return;
    lengths.resize(static_cast<std::size_t>(problem.shape.batch));
    for (index& length : lengths) length = std::min(length, extent);
  };
  fit(problem.lengths, problem.shape.keys);
  fit(problem.query_lengths, problem.shape.queries);
}

void add_smaller_shapes(const Problem& problem, Candidates& candidates) {
  candidates.add([](Problem& p) { p.shape.heads = p.shape.kv_heads = 1; });
  candidates.add([](Problem& p) { p.shape.heads /= p.shape.kv_heads, p.shape.kv_heads = 1; });
  candidates.add([](Problem& p) { p.shape.heads = p.shape.kv_heads; });
  for (const auto extent : {&Shape::batch, &Shape::queries, &Shape::keys, &Shape::dim, &Shape::value_dim,
                            &Shape::kv_heads, &Shape::heads}) {
    const index now = problem.shape.*extent;
    const auto try_extent = [&](index to) {
      candidates.add([&](Problem& p) {
        const bool square = p.shape.dim == p.shape.value_dim && extent == &Shape::dim;
        p.shape.*extent = to;
        if (square) p.shape.value_dim = to;
        fit_lengths(p);
      });
    };
    if (now > 2) try_extent(1);
    for (index part = now / 2; part > 0; part /= 2) try_extent(now - part);
  }
}

/// The mask itself replaced by full, by each of its parts, or with a part left out.
void add_plainer_masks(const Problem& problem, Candidates& candidates) {
  candidates.add([](Problem& p) { p.mask = Mask(); });
  for (const Mask& part : problem.mask.parts()) candidates.add([&](Problem& p) { p.mask = part; });
}

void add_plainer_scores(const Problem& problem, Candidates& candidates) {
  for (const ScoreTerm& dropped : problem.score.terms())
    candidates.add([&](Problem& p) { p.score = p.score.without(dropped.rule); });
}

}  // namespace

bool is_consistent(const Problem& problem) {
  return std::ranges::all_of(problem_field_table(), [&](const ProblemField& field) {
    return !field.conflict || field.conflict(problem).empty();
  });
}

std::vector<Problem> smaller(const Problem& problem) {
  Candidates candidates(problem);
  add_smaller_shapes(problem, candidates);
  add_plainer_masks(problem, candidates);
  add_plainer_scores(problem, candidates);
  candidates.add([](Problem& p) { p.lengths.clear(); });
  candidates.add([](Problem& p) { p.query_lengths.clear(); });
  candidates.add([](Problem& p) { p.given_scale.reset(); });
  candidates.add([](Problem& p) { p.dropout = 0; });
  candidates.add([](Problem& p) { p.deterministic = true; });
  candidates.add([](Problem& p) { p.drop_gradients(); });
  candidates.add([](Problem& p) { p.wants.clear(); });
  for (const TensorName wanted : problem.wants) candidates.add([&](Problem& p) { p.wants = {wanted}; });
  candidates.add([](Problem& p) { p.threads = 0; });
  candidates.add([](Problem& p) { p.threads = std::min(p.threads, 2); });
  candidates.add([](Problem& p) { p.pack(); });
  candidates.add([](Problem& p) { p.layout = "bhsd", p.layout_arguments.clear(); });
  for (const TensorLayout& own : problem.tensor_layouts)
    candidates.add([&](Problem& p) { std::erase(p.tensor_layouts, own); });
  candidates.add([](Problem& p) { p.spare_rows = 0; });
  candidates.add([](Problem& p) { p.fill = FillChoice{}; });
  candidates.add([](Problem& p) { p.seed = 1; });
  return candidates.take();
}

Problem shrink(Problem problem, const std::function<bool(const Problem&)>& still_fails, index attempts) {
  for (bool shrunk = true; shrunk;) {
    shrunk = false;
    for (const Problem& candidate : smaller(problem)) {
      if (attempts-- == 0) return problem;
      if (!still_fails(candidate)) continue;
      problem = candidate;
      shrunk = true;
      break;
    }
  }
  return problem;
}

}  // namespace attestone::inline conformance
