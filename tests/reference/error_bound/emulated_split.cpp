// SPDX-License-Identifier: Apache-2.0
// The four forms of merging, in the accumulator of the recipe.
#include "tests/reference/error_bound/emulated_split.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "tests/reference/error_bound/emulated_arithmetic.hpp"

namespace attestone::emulation {
namespace {

constexpr double hidden = -std::numeric_limits<double>::infinity();

/// A part, or what several were merged to: sums o and l under m, or out and lse.
struct Partial {
  double m = hidden, l = 0, lse = hidden;
  std::vector<double> o;

  bool empty() const { return m == hidden; }
};

class SplitRow {
 public:
  SplitRow(const Problem& problem, const Inputs& inputs, const Numerics& numerics, const SplitRecipe& recipe, index b,
           index h, index i)
      : problem_(problem),
        inputs_(inputs),
        numerics_(numerics),
        recipe_(recipe),
        kernel_(problem, numerics, recipe.within),
        batch_(b),
        head_(h),
        query_(i) {}

  Row row() {
    std::vector<Partial> parts = attended();
    std::erase_if(parts, [](const Partial& part) { return part.empty(); });
    apply_fault(parts);
    Row row;
    if (parts.empty()) {
      row.accumulated.assign(static_cast<std::size_t>(problem_.shape.value_dim), 0.0);
      row.log_sum_exp = hidden;
    } else {
      const Partial all = merged(parts);
      row.accumulated = all.o;
      row.log_sum_exp = all.lse;
    }
    for (double& x : row.accumulated) {
      if (recipe_.within.dropout_at == DropoutAt::answer && problem_.dropout > 0)
        x = kernel_.once(x * dropout_factor());
      row.out.push_back(problem_.output.round(x));
    }
    return row;
  }

 private:
  double dropout_factor() const { return kernel_.once(1 / kernel_.once(1 - kernel_.once(problem_.dropout))); }

  index part_of(index key) const {
    if (recipe_.scattered) return key % recipe_.parts;
    return std::min(key * recipe_.parts / problem_.shape.keys, recipe_.parts - 1);
  }

  PartState attend(index part, std::optional<double> maximum) const {
    PartOf which{.keys = {}, .sink = part == 0 && !recipe_.sink_merged, .maximum = maximum};
    for (index key = 0; key < problem_.shape.keys; ++key) which.keys.push_back(part_of(key) == part);
    return attend_to_part(problem_, inputs_, numerics_, recipe_.within, batch_, head_, query_, which);
  }

  std::vector<Partial> attended() const {
    std::vector<PartState> states;
    for (index part = 0; part < recipe_.parts; ++part) states.push_back(attend(part, std::nullopt));
    if (recipe_.form == MergeForm::shared_maximum) {
      double largest = hidden;
      for (const PartState& state : states) largest = std::max(largest, state.reference);
      for (index part = 0; part < recipe_.parts; ++part)
        if (states[static_cast<std::size_t>(part)].maximum != hidden)
          states[static_cast<std::size_t>(part)] = attend(part, largest);
    }
    std::vector<Partial> parts;
    for (const PartState& state : states) parts.push_back(stored(state));
    if (inputs_.sink && recipe_.sink_merged) parts.push_back(stored(sink_alone()));
    return parts;
  }

  PartState sink_alone() const {
    const double logit = kernel_.once(inputs_.sink->view().value(0, head_, 0, 0));
    return {logit, logit, 1, std::vector<double>(static_cast<std::size_t>(problem_.shape.value_dim), 0.0)};
  }

  bool divides() const { return recipe_.form == MergeForm::sigmoid || recipe_.form == MergeForm::late_correction; }

  Partial stored(const PartState& state) const {
    Partial part{state.maximum, state.denominator, hidden, state.sums};
    if (part.empty()) return part;
    if (divides()) {
      for (double& x : part.o) x = recipe_.within.normalise ? x : kernel_.once(x / part.l);
      part.lse = kernel_.once(part.m + kernel_.once(std::log(part.l)));
    }
    if (!recipe_.stored_in.empty())
      for (double& x : part.o) x = dtype(recipe_.stored_in).round(x);
    return part;
  }

  void apply_fault(std::vector<Partial>& parts) const {
    if (parts.size() < 2) return;
    if (recipe_.fault == MergeFault::rescale_dropped) parts[1].m = parts[0].m, parts[1].lse = parts[0].lse;
    if (recipe_.fault == MergeFault::part_repeated) parts.push_back(parts[0]);
    if (recipe_.fault == MergeFault::base_two) parts[0].m *= std::numbers::log2e, parts[0].lse *= std::numbers::log2e;
  }

  double exp(double x) const { return kernel_.exp(x, 0, 0); }

  Partial merged(const std::vector<Partial>& parts) const {
    switch (recipe_.form) {
      case MergeForm::late_correction:
        return corrected(parts);
      case MergeForm::sigmoid:
        return folded(parts, [this](const Partial& a, const Partial& b) { return by_sigmoid(a, b); });
      default:
        return divided(recipe_.order == MergeOrder::all_at_once
                           ? all_at_once(parts)
                           : folded(parts, [this](const Partial& a, const Partial& b) { return rescaled(a, b); }));
    }
  }

  Partial folded(std::vector<Partial> parts,
                 const std::function<Partial(const Partial&, const Partial&)>& merge) const {
    if (recipe_.order == MergeOrder::pairwise) {
      while (parts.size() > 1) {
        std::vector<Partial> next;
        for (std::size_t s = 0; s + 1 < parts.size(); s += 2) next.push_back(merge(parts[s], parts[s + 1]));
        if (parts.size() % 2) next.push_back(parts.back());
        parts = std::move(next);
      }
      return parts[0];
    }
    Partial all = parts[0];
    for (std::size_t s = 1; s < parts.size(); ++s) all = merge(all, parts[s]);
    return all;
  }

  bool shares_maximum() const { return recipe_.form == MergeForm::shared_maximum; }

  Partial rescaled(const Partial& a, const Partial& b) const {
    Partial all;
    all.m = std::max(a.m, b.m);
    const double of_a = shares_maximum() ? 1 : exp(kernel_.once(a.m - all.m));
    const double of_b = shares_maximum() ? 1 : exp(kernel_.once(b.m - all.m));
    all.l = kernel_.once(kernel_.once(of_a * a.l) + kernel_.once(of_b * b.l));
    for (std::size_t c = 0; c < a.o.size(); ++c)
      all.o.push_back(kernel_.once(kernel_.once(of_a * a.o[c]) + kernel_.once(of_b * b.o[c])));
    return all;
  }

  Partial all_at_once(const std::vector<Partial>& parts) const {
    Partial all;
    all.o.assign(parts[0].o.size(), 0.0);
    for (const Partial& part : parts) all.m = std::max(all.m, part.m);
    for (const Partial& part : parts) {
      const double weight = shares_maximum() ? 1 : exp(kernel_.once(part.m - all.m));
      all.l = kernel_.once(all.l + kernel_.once(weight * part.l));
      for (std::size_t c = 0; c < all.o.size(); ++c)
        all.o[c] = kernel_.once(all.o[c] + kernel_.once(weight * part.o[c]));
    }
    return all;
  }

  Partial divided(Partial all) const {
    for (double& x : all.o) x = kernel_.once(x / all.l);
    all.lse = kernel_.once(all.m + kernel_.once(std::log(all.l)));
    return all;
  }

  Partial by_sigmoid(const Partial& a, const Partial& b) const {
    const double sigmoid = kernel_.once(1 / kernel_.once(1 + exp(kernel_.once(a.lse - b.lse))));
    const double y = kernel_.once(a.lse - b.lse);
    const double tail = kernel_.once(std::log1p(exp(-std::abs(y))));
    Partial all;
    all.m = std::max(a.m, b.m);
    all.lse = kernel_.once(a.lse - kernel_.once(std::min(y, 0.0) - tail));
    for (std::size_t c = 0; c < a.o.size(); ++c)
      all.o.push_back(kernel_.once(a.o[c] - kernel_.once(sigmoid * kernel_.once(a.o[c] - b.o[c]))));
    return all;
  }

  Partial corrected(const std::vector<Partial>& parts) const {
    Partial all = folded(parts, [this](const Partial& a, const Partial& b) {
      Partial both;
      const double largest = std::max(a.lse, b.lse), smallest = std::min(a.lse, b.lse);
      both.lse = kernel_.once(largest + kernel_.once(std::log1p(exp(kernel_.once(smallest - largest)))));
      return both;
    });
    all.o.assign(parts[0].o.size(), 0.0);
    for (const Partial& part : parts) {
      const double weight = exp(kernel_.once(part.lse - all.lse));
      for (std::size_t c = 0; c < all.o.size(); ++c)
        all.o[c] = kernel_.once(all.o[c] + kernel_.once(weight * part.o[c]));
    }
    return all;
  }

  const Problem& problem_;
  const Inputs& inputs_;
  const Numerics& numerics_;
  const SplitRecipe& recipe_;
  const Arithmetic kernel_;
  index batch_, head_, query_;
};

}  // namespace

Row answer(const Problem& problem, const Inputs& inputs, const Numerics& numerics, const SplitRecipe& recipe,
           index batch, index head, index query) {
  return SplitRow(problem, inputs, numerics, recipe, batch, head, query).row();
}

Numerics declared(Numerics numerics, const SplitRecipe& recipe) {
  MergeStage& merge = numerics.merge;
  merge.form = recipe.form;
  merge.parts = std::max<index>(recipe.parts, 2);  // at most so many
  const auto levels = static_cast<index>(std::bit_width(static_cast<std::size_t>(merge.parts - 1)));
  merge.depth = recipe.order == MergeOrder::all_at_once ? 1 : recipe.order == MergeOrder::pairwise ? levels : 0;
  merge.visits = recipe.scattered ? Visits::any : Visits::either_way;
  if (!recipe.stored_in.empty()) merge.out = gradual_cast(dtype(recipe.stored_in));
  numerics.weight.normalised = recipe.within.normalise;
  return numerics;
}

}  // namespace attestone::emulation
