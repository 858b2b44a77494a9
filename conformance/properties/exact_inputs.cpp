// SPDX-License-Identifier: Apache-2.0
// Keys that win, and answers compared bit for bit.
#include "conformance/properties/exact_inputs.hpp"

#include <cmath>
#include <fmt/format.h>

namespace attestone {
namespace {

// exp(-104) is below half of the smallest subnormal of f32: a key that trails by more has weight 0.
constexpr double decisive_lead = 104;

/// Keys spell their number in signs; two keys differ in at least one channel if there are enough of those.
double sign(index key, index channel) { return channel < 31 && ((key >> channel) & 1) ? -1 : 1; }

/// The length of a query that makes its key lead by more than decisive_lead: a power of two.
double decisive_length(const Problem& problem) {
  return std::exp2(std::ceil(std::log2(decisive_lead / 2 / std::abs(problem.scale()))) + 1);
}

}  // namespace

std::string without_exact_answers(const Problem& problem) {
  if (problem.shape.queries == 0) return "no queries";
  if (problem.score.has_bias()) return "a bias moves the scores";
  if (problem.score.has_sink()) return "the sink takes a share of every row";
  return problem.dropout > 0 ? "dropout leaves no key with all the weight" : "";
}

Verdict exactly(Trial& trial, const Inputs& inputs, const ExactAnswer& answer) {
  const DType& format = trial.problem().output;
  const Shape& s = trial.problem().shape;
  const KernelAnswer got = trial.run(inputs);
  const ConstView out = got.outputs.out.view();
  bool conclusive = false;
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index i = 0; i < out.rows(b); ++i)
        for (index c = 0; c < s.value_dim; ++c) {
          const std::optional<double> right = answer(b, h, i, c);
          if (!right) continue;
          conclusive = true;
          if (!(out.value(b, h, i, c) == format.round(*right)))
            return Verdict::failed("not-exact",
                                   fmt::format("expected exactly {:.9g}, got {:.9g} at out[b{}, h{}, q{}, c{}]",
                                               format.round(*right), out.value(b, h, i, c), b, h, i, c));
        }
  return conclusive ? Verdict::passed() : Verdict::inconclusive("weak-case", "no row has an answer that is known");
}

std::string Selection::impossible(const Problem& problem) {
  if (std::string why = without_exact_answers(problem); !why.empty()) return why;
  const Shape& s = problem.shape;
  if (s.keys == 0) return "no keys";
  if (s.dim < 31 && s.keys > (index{1} << s.dim)) return "too few channels to tell the keys apart";
  if (problem.score.softcap()) return "softcap leaves no key with all the weight";
  return decisive_length(problem) > problem.input.largest() ? "the scale is too small to let one key win" : "";
}

std::optional<index> Selection::key(index batch, index head, index query) const {
  const index visible = visible_.count(batch, head, query);
  if (visible == 0) return std::nullopt;
  index skip = draw_for(problem_, {Role::query, batch, head, query, 0}).integer(0, visible - 1);
  for (index j = 0;; ++j)
    if (visible_({batch, head, query, j}) && skip-- == 0) return j;
}

ElementSource Selection::source(const ElementSource& value) const {
  const double length = std::copysign(decisive_length(problem_), problem_.scale());
  return [this, value, length](const Element& at) {
    if (at.role == Role::value) return value(at);
    if (at.role == Role::key) return sign(at.row, at.channel);
    const auto selected = key(at.batch, at.head, at.row);
    return selected ? length * sign(*selected, at.channel) : 0.0;
  };
}

}  // namespace attestone
