// SPDX-License-Identifier: Apache-2.0
// Moving truths to other problems, and judging by them.
#include "conformance/properties/metamorphic/relation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "conformance/trial/stopwatch.hpp"

namespace attestone::inline conformance {
namespace {

bool all_visible(const Problem& problem) { return problem.mask.is_full() && problem.lengths.empty(); }

}  // namespace

AnswerRow same_row(const AnswerRow& row) { return row; }

Truth moved(const Truth& from, const Problem& to, const RowOrigin& origin, index first_channel) {
  std::vector<index> known, queries;  // `known` counts from.queries()
  for (index i = 0; i < to.shape.queries; ++i) {
    const auto found = std::lower_bound(from.queries().begin(), from.queries().end(), origin({0, 0, i}).query);
    if (found == from.queries().end() || *found != origin({0, 0, i}).query) continue;
    known.push_back(found - from.queries().begin()), queries.push_back(i);
  }
  Truth truth(to, queries);
  for_each_certified(to, truth, [&](index b, index h, index row, index c, Certified& element) {
    const AnswerRow at = origin({b, h, queries[static_cast<std::size_t>(row)]});
    const index there = known[static_cast<std::size_t>(row)];
    const index channel = c >= 0 ? first_channel + c : c;
    element = from.element(at.batch, at.head, there, channel);
    if (const auto* answers = from.admissible(at.batch, at.head, there, channel)) truth.admit(b, h, row, c, *answers);
  });
  return truth;
}

Truth unmoved(const Truth& from, const Problem& to) { return moved(from, to, same_row); }

void transform(Certified& x, double factor, double shift, double slack) {
  x.value = factor * x.value + shift;
  // A product and a sum are rounded, and below the normal range nothing is more exact than the smallest number.
  const double rounding =
      dtype("f64").unit_roundoff() * (2 * std::abs(x.value) + std::abs(shift)) + std::numeric_limits<double>::min();
  x.bound = std::abs(factor) * x.bound + slack + (std::isfinite(x.value) ? rounding : 0);
  x.rounded = x.value;
  x.decided = false;
}

Verdict judged(Trial& trial, const RelatedCall& call, std::string_view reason, const std::string& circumstances) {
  if (const Support support = trial.kernel().supports(call.problem); !support) return Verdict::skipped(support.why);
  // First, so that what a kernel keeps of it meets the other call.
  const Outputs& plain = trial.answer().outputs;
  Trial other(trial.kernel(), call.problem);
  const KernelAnswer answer = other.run(call.inputs);
  trial.times.kernel += other.times.kernel;
  Comparison changed;
  {
    const Stopwatch watch(trial.times.truth);
    const ForwardBound bound(call.problem, call.inputs, other.numerics());
    const double unit = trial.conventions().log_sum_exp_unit();
    if (conforms(call.problem, call.truth, bound, answer.outputs, unit)) return Verdict::passed();
    BoundTable bounds(call.problem, call.truth, bound);
    changed = compare(call.truth, bounds, answer.outputs, other.numerics().tile_queries, nullptr, unit);
  }
  Verdict verdict = metamorphic(trial.compare_with_truth(plain), changed, reason, circumstances);
  if (verdict.outcome == Outcome::failed) verdict.derived = std::make_shared<const Problem>(call.problem);
  return verdict;
}

Problem forward_of(const Problem& problem) {
  Problem forward = problem;
  forward.pack();
  forward.drop_gradients();
  return forward;
}

void copy_elements(const ConstView& from, const View& to) {
  copy_elements(from, to, [](const Extents& at) { return at; });
}

bool sees_the_same(const Problem& other, const Problem& problem, const RowOrigin& origin) {
  if (all_visible(problem) && all_visible(other) && problem.shape.keys == other.shape.keys) return true;
  const VisiblePairs there(problem);
  const std::optional<VisiblePairs> apart = &other == &problem ? std::nullopt : std::optional<VisiblePairs>(other);
  const VisiblePairs& here = apart ? *apart : there;
  const auto none = [](std::span<const std::uint8_t> keys) { return std::count(keys.begin(), keys.end(), 1) == 0; };
  const auto shared = static_cast<std::size_t>(std::min(problem.shape.keys, other.shape.keys));
  const index heads = there.heads() == 1 && here.heads() == 1 ? 1 : other.shape.heads;
  for (index b = 0; b < other.shape.batch; ++b)
    for (index h = 0; h < heads; ++h)
      for (index i = 0; i < other.shape.queries; ++i) {
        const AnswerRow at = origin({b, h, i});
        if (at.query >= problem.shape.queries) continue;
        const auto all = there.row(at.batch, at.head, at.query), own = here.row(b, h, i);
        if (!std::ranges::equal(own.first(shared), all.first(shared))) return false;
        if (!none(own.subspan(shared)) || !none(all.subspan(shared))) return false;
      }
  return true;
}

std::string without_numbers(const Problem& problem) {
  return problem.fill.name == "nonfinite" ? "NaN and infinities are no numbers to calculate with" : "";
}

std::optional<Tensor> times_power_of_two(const Tensor& tensor, int exponent) {
  Tensor scaled = tensor;
  const ConstView from = tensor.view();
  const View to = scaled.view();
  const double factor = std::ldexp(1.0, exponent);
  bool exact = true;
  for_each_element(from, [&](index b, index h, index r, index c) {
    const double wanted = factor * from.value(b, h, r, c);
    to.set(b, h, r, c, wanted);
    exact = exact && to.value(b, h, r, c) == wanted;
  });
  return exact ? std::optional(std::move(scaled)) : std::nullopt;
}

std::vector<int> exponents_by_lot(const Problem& problem, int usual) {
  constexpr index no_row = 0xFFFFFFFF;
  constexpr int far = 24, near = 1;  // 2^-24 is below what kernels add to a denominator, or take for zero
  const Draw lot = draw_for(problem, {TensorName::query, 0, 0, no_row, 0});
  const int up = lot.integer(0, 1, 0) == 0 ? 1 : -1;
  std::vector<int> sizes{usual, far, near};
  if (lot.integer(0, 1, 1) == 0) std::swap(sizes[0], sizes[1]);
  std::vector<int> all;
  for (const int size : sizes)
    for (const int sign : {up, -up}) all.push_back(sign * size);
  return all;
}

Tensor with_a_bit_to_spare(const Tensor& tensor) {
  const ConstView from = tensor.view();
  const DType& format = from.dtype();
  // Elements are at most 2^(e + 1), and sums at most 2^(e + 2): p bits above the place. Below the smallest subnormal
  // there is nothing.
  const int place = std::max(largest_exponent(from) + 2 - format.precision(), std::ilogb(format.smallest_subnormal()));
  Tensor rounded = tensor;
  const View to = rounded.view();
  for_each_element(from, [&](index b, index h, index r, index c) {
    const double x = from.value(b, h, r, c);
    to.set(b, h, r, c, std::ldexp(std::nearbyint(std::ldexp(x, -place)), place));
  });
  return rounded;
}

int largest_exponent(const ConstView& tensor) {
  double largest = 0;
  for_each_element(tensor, [&](index b, index h, index r, index c) {
    const double x = std::abs(tensor.value(b, h, r, c));
    if (std::isfinite(x)) largest = std::max(largest, x);
  });
  return largest == 0 ? 0 : std::ilogb(largest);
}

}  // namespace attestone::inline conformance
