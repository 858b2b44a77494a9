// SPDX-License-Identifier: Apache-2.0
// Which pairs are dropped, read back from the answer.
#include <fmt/format.h>

#include "conformance/properties/property.hpp"
#include "reference/call/dropout.hpp"
#include "reference/call/visible_pairs.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Keys are read back value_dim at a time; this many rounds are enough to meet every tile edge of a small problem.
constexpr index most_rounds = 8;

std::string inapplicable(const Problem& problem) {
  if (problem.dropout == 0) return "no dropout";
  return problem.score.has_bias() ? "a bias may leave a kept pair no weight" : "";
}

/// All scores tie (Q = 0), and channel c of V is 1 at key `first + c` alone: O[i, c] is 0 exactly if that pair is
/// dropped or invisible. dO is 1 at channel c of query `first + c` alone: so is dV[j, c].
Inputs reading_back(const Problem& problem, index first) {
  return filled(problem, [&](const Element& at) {
    const bool one_hot = at.tensor == TensorName::value || at.tensor == TensorName::dout;
    return one_hot && at.row == first + at.channel ? 1.0 : 0.0;
  });
}

/// Asks every pair of the round: `got(pair)` is what the kernel kept of it, `channel` runs over value_dim. Rows without
/// keys say nothing where they answer by another convention than the rules, nor does what they send.
class ReadBack {
 public:
  ReadBack(const Problem& problem, EmptyRows convention)
      : problem_(problem), convention_(convention), visible_(problem), dropout_(problem) {}

  bool says_nothing(index batch, index head, index query) const {
    return convention_ != EmptyRows::zero && visible_.count(batch, head, query) == 0;
  }
  bool kept(const Pair& at) const { return visible_(at) && dropout_.keeps(at); }
  std::string forward(const ConstView& out, index first) const;
  std::string backward(const ConstView& dvalue, index first) const;

 private:
  bool is_sent_anything(index batch, index kv_head) const;

  const Problem& problem_;
  EmptyRows convention_;
  VisiblePairs visible_;
  Dropout dropout_;
};

std::string difference(const char* pass, const Pair& at, bool kept) {
  return fmt::format("{}: pair (b{}, h{}, q{}, k{}) must be {}", pass, at.batch, at.head, at.query, at.key,
                     kept ? "kept" : "dropped or hidden");
}

std::string ReadBack::forward(const ConstView& out, index first) const {
  const Shape& s = problem_.shape;
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index i = 0; i < out.rows(b); ++i)
        for (index j = first; j < std::min(first + s.value_dim, s.keys); ++j) {
          const Pair at{b, h, i, j};
          if (says_nothing(b, h, i)) continue;
          if (kept(at) != (out.value(b, h, i, j - first) != 0)) return difference("forward", at, kept(at));
        }
  return {};
}

bool ReadBack::is_sent_anything(index batch, index kv_head) const {
  const index group = problem_.shape.heads / problem_.shape.kv_heads;
  for (index h = kv_head * group; h < (kv_head + 1) * group; ++h)
    for (index i = 0; i < problem_.shape.queries; ++i)
      if (says_nothing(batch, h, i)) return true;
  return false;
}

/// dV adds up the heads of a group, all of them positive here.
std::string ReadBack::backward(const ConstView& dvalue, index first) const {
  const Shape& s = problem_.shape;
  const index group = s.heads / s.kv_heads;
  for (index b = 0; b < s.batch; ++b)
    for (index kv_head = 0; kv_head < s.kv_heads; ++kv_head) {
      if (is_sent_anything(b, kv_head)) continue;
      for (index i = first; i < std::min(first + s.value_dim, s.queries); ++i)
        for (index j = 0; j < dvalue.rows(b); ++j) {
          bool any = false;
          for (index h = kv_head * group; h < (kv_head + 1) * group; ++h) any = any || kept({b, h, i, j});
          const Pair at{b, kv_head * group, i, j};
          if (any != (dvalue.value(b, kv_head, j, i - first) != 0)) return difference("backward", at, any);
        }
    }
  return {};
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const ReadBack right(problem, trial.conventions().empty_rows);
  const index longest = std::max(problem.shape.keys, problem.backward ? problem.shape.queries : 0);
  for (index round = 0; round < most_rounds && round * problem.shape.value_dim < longest; ++round) {
    const index first = round * problem.shape.value_dim;
    const Inputs inputs = reading_back(problem, first);
    const KernelAnswer answer = trial.run(inputs);
    std::string wrong = right.forward(answer.outputs.out.view(), first);
    if (wrong.empty() && problem.backward && problem.wanted(TensorName::dvalue)) {
      const GradientAnswer gradients = trial.backward().run(inputs, answer.outputs);
      wrong = right.backward(gradients.gradients.value.view(), first);
    }
    if (!wrong.empty()) return Verdict::failed("dropout-pairs", wrong);
  }
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "dropout_pairs",
    .claim = "the pairs that are dropped are those that the seed names, in the forward and in the backward pass",
    .inapplicable = inapplicable,
    .check = check,
    .needs = {TensorName::out},
}};

}  // namespace
}  // namespace attestone::inline conformance
