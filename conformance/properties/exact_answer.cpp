// SPDX-License-Identifier: Apache-2.0
// Inputs whose right answer needs no tolerance.
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "conformance/property.hpp"
#include "reference/registry.hpp"
#include "reference/visible_pairs.hpp"

namespace attestone {
namespace {

// Integers this small are exact in every format, and so are their sums over all keys in f32.
constexpr index largest_integer = 8;
// exp(-104) is below half of the smallest subnormal of f32: a key that trails by more has weight 0.
constexpr double decisive_lead = 104;

/// All scores tie (Q = 0) and V holds integers: over 2^k visible keys every weight is exactly 2^-k.
ElementSource tied(const Problem& problem) {
  return [problem](const Element& at) {
    if (at.role == Role::query) return 0.0;
    return static_cast<double>(draw_for(problem, at).integer(-largest_integer, largest_integer));
  };
}

/// The visible key that each row is made to select: seeded, and none for a row that sees no key.
std::optional<index> selected_key(const Problem& problem, const VisiblePairs& visibility, index batch, index head,
                                  index query) {
  if (visibility.count(batch, head, query) == 0) return std::nullopt;
  index skip =
      draw_for(problem, {Role::query, batch, head, query, 0}).integer(0, visibility.count(batch, head, query) - 1);
  for (index j = 0;; ++j)
    if (visibility({batch, head, query, j}) && skip-- == 0) return j;
}

/// Keys spell their number in signs; two keys differ in at least one channel if there are enough of those.
double sign(index key, index channel) { return channel < 31 && ((key >> channel) & 1) ? -1 : 1; }

/// The length of a query that makes its key lead by more than decisive_lead, a power of two; none if that is not
/// possible.
std::optional<double> decisive_length(const Problem& problem) {
  const bool distinct = problem.shape.dim >= 31 || problem.shape.keys <= (index{1} << problem.shape.dim);
  if (!distinct || problem.score.softcap() || problem.score.has_bias() || problem.score.has_sink()) return std::nullopt;
  const double length = std::exp2(std::ceil(std::log2(decisive_lead / 2 / std::abs(problem.scale()))) + 1);
  if (length > problem.input.largest()) return std::nullopt;
  return problem.scale() < 0 ? -length : length;
}

ElementSource one_hot(const Problem& problem, const VisiblePairs& visibility, double length) {
  return [&problem, &visibility, length](const Element& at) {
    if (at.role == Role::value) return draw_for(problem, at).normal();
    if (at.role == Role::key) return sign(at.row, at.channel);
    const auto key = selected_key(problem, visibility, at.batch, at.head, at.row);
    return key ? length * sign(*key, at.channel) : 0.0;
  };
}

/// The first element among the chosen rows that is not the correctly rounded truth. Empty if there is none.
std::string first_difference(const Problem& problem, const Truth& truth, const Outputs& got, const RowFilter& exact) {
  const ConstView out = got.out.view();
  const Shape& shape = problem.shape;
  for (index b = 0; b < shape.batch; ++b)
    for (index h = 0; h < shape.heads; ++h)
      for (index i = 0; i < out.rows(b); ++i) {
        if (!exact(b, h, i)) continue;
        for (index c = 0; c < shape.value_dim; ++c) {
          const Certified& right = truth.out(b, h, i, c);
          if (right.decided && !(out.value(b, h, i, c) == right.rounded))
            return fmt::format("expected exactly {:.9g}, got {:.9g} at out[b{}, h{}, q{}, c{}]", right.rounded,
                               out.value(b, h, i, c), b, h, i, c);
        }
      }
  return {};
}

std::string inapplicable(const Problem& problem) {
  if (problem.shape.queries == 0) return "no queries";
  if (problem.score.has_bias()) return "the bias breaks ties";
  if (problem.score.has_sink()) return "the sink takes a share of every tie";
  if (problem.dropout > 0) return "dropout leaves no key with all the weight";
  return problem.output.precision > problem.input.precision || problem.output == problem.input
             ? ""
             : "the output is narrower than V";
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const VisiblePairs visibility(problem);
  bool conclusive = false;
  const auto try_inputs = [&](const ElementSource& source, const RowFilter& exact, const char* what) {
    const Inputs inputs = filled(problem, source);
    const KernelAnswer answer = trial.run(inputs);
    const std::string difference = first_difference(problem, certify_forward(problem, inputs), answer.outputs, exact);
    return difference.empty() ? Verdict::passed()
                              : Verdict::failed("not-exact", fmt::format("{}: {}", what, difference));
  };
  const RowFilter power_of_two = [&](index b, index h, index i) {
    const bool exact = std::has_single_bit(static_cast<std::uint64_t>(visibility.count(b, h, i)));
    conclusive = conclusive || exact;
    return exact;
  };
  Verdict verdict = try_inputs(tied(problem), power_of_two, "tied scores");
  const auto length = decisive_length(problem);
  if (verdict.outcome == Outcome::passed && length) {
    conclusive = true;
    verdict = try_inputs(
        one_hot(problem, visibility, *length), [](index, index, index) { return true; }, "one selected key per row");
  }
  if (verdict.outcome == Outcome::passed && !conclusive)
    return Verdict::inconclusive("weak-case", "no row sees 2^k keys, and no key can be made to win");
  return verdict;
}

const Registration<Property> registered{{
    .name = "exact_answer",
    .claim = "over 2^k tied keys with integer V, and where one key wins by far, the answer is exact to the last bit",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone
