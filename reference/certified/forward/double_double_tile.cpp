// SPDX-License-Identifier: Apache-2.0
// The double-double kernel: dot products and sums with compensation (Ogita, Rump and Oishi's Dot2, not rounded at the
// end), lanes are rows.
#include "reference/certified/forward/double_double_tile.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/certified/forward/double_double_tile.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/certified/numbers/double_double-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

using Wide = hn::CappedTag<double, wide_lanes>;
using WideVector = hn::Vec<Wide>;

/// A score that weighs exactly nothing: it replaces that of a hidden key, and every score below least_score.
constexpr double weightless_score = -0x1p40;

/// Adds a number given as high + low to a compensated sum: high parts by TwoSum, all small parts into `low`.
HWY_INLINE void accumulate(Wide d, DoubleDouble<Wide>& sum, const DoubleDouble<Wide>& term) {
  const auto next = two_sum(d, sum.high, term.high);
  sum.high = next.high;
  sum.low = hn::Add(sum.low, hn::Add(next.low, term.low));
}

/// The working memory of one tile: for each key, eight scores, later weights.
struct Memory {
  explicit Memory(const WideTask& wide_task) : task(wide_task) {
    for (const RowTask* row : task.rows)
      if (row) any = row;
    query = zeroed_doubles(any->head->dim * wide_lanes);
    for (index lane = 0; lane < wide_lanes; ++lane)
      if (const RowTask* row = task.rows[static_cast<std::size_t>(lane)])
        for (index c = 0; c < any->head->dim; ++c)
          query[static_cast<std::size_t>(c * wide_lanes + lane)] = row->query_values[static_cast<std::size_t>(c)];
    for (index key = 0; key < any->problem->shape.keys; ++key)
      if (std::any_of(task.rows.begin(), task.rows.end(), [&](auto* row) { return row && bit(row->visible, key); }))
        keys.push_back(key);
    high = zeroed_doubles(static_cast<index>(keys.size()) * wide_lanes);
    low = zeroed_doubles(static_cast<index>(keys.size()) * wide_lanes);
  }

  const WideTask& task;
  const RowTask* any = nullptr;
  std::vector<index> keys;          ///< seen by at least one row
  AlignedDoubles query, high, low;  ///< [dim][8], [keys][8], [keys][8]
};

/// Scale and softcap of q.k.
DoubleDouble<Wide> score_of(Wide d, const Problem& problem, DoubleDouble<Wide> dot) {
  const auto scaled = multiply(d, two_sum(d, dot.high, dot.low), hn::Set(d, problem.scale()));
  const auto cap = problem.score.softcap();
  if (!cap) return scaled;
  const WideVector c = hn::Set(d, *cap);
  return multiply(d, tanh(d, divide(d, scaled, DoubleDouble<Wide>{c, hn::Zero(d)})), c);
}

/// Fills the raw scores of the keys from `first` on, four at a time: a single compensated sum waits for itself.
void raw_scores(Wide d, Memory& memory, std::size_t first, std::size_t lane) {
  const DecodedHead& head = *memory.any->head;
  const Problem& problem = *memory.any->problem;
  const std::size_t last = memory.keys.size() - 1;
  const auto row = [&](std::size_t i) { return head.key_row(memory.keys[std::min(first + i, last)]); };
  const auto k0 = row(0), k1 = row(1), k2 = row(2), k3 = row(3);
  DoubleDouble<Wide> s0{hn::Zero(d), hn::Zero(d)}, s1 = s0, s2 = s0, s3 = s0;
  for (index c = 0; c < head.dim; ++c) {
    const WideVector q = hn::Load(d, memory.query.get() + c * wide_lanes + lane);
    accumulate(d, s0, two_product(d, q, hn::Set(d, k0[c])));
    accumulate(d, s1, two_product(d, q, hn::Set(d, k1[c])));
    accumulate(d, s2, two_product(d, q, hn::Set(d, k2[c])));
    accumulate(d, s3, two_product(d, q, hn::Set(d, k3[c])));
  }
  const auto store = [&](std::size_t i, const DoubleDouble<Wide>& dot) HWY_ATTR {
    if (first + i > last) return;
    const auto s = score_of(d, problem, dot);
    hn::Store(s.high, d, memory.high.get() + (first + i) * wide_lanes + lane);
    hn::Store(s.low, d, memory.low.get() + (first + i) * wide_lanes + lane);
  };
  store(0, s0), store(1, s1), store(2, s2), store(3, s3);
}

/// Fills the scores of all keys; invisible ones weigh nothing, and neither do those that are too low to weigh anything.
void fill_scores(Wide d, Memory& memory) {
  const bool has_bias = memory.any->problem->score.has_bias();
  for (std::size_t i = 0; i < memory.keys.size(); i += keys_per_group)
    for (std::size_t lane = 0; lane < wide_lanes; lane += hn::Lanes(d)) raw_scores(d, memory, i, lane);
  for (std::size_t i = 0; i < memory.keys.size(); ++i) {
    const index key = memory.keys[i];
    alignas(64) double biases[wide_lanes] = {};
    bool visible[wide_lanes] = {};
    for (std::size_t lane = 0; lane < wide_lanes; ++lane) {
      const RowTask* row = memory.task.rows[lane];
      visible[lane] = row && bit(row->visible, key);
      if (visible[lane] && has_bias) biases[lane] = row->bias(key);
    }
    double* high = memory.high.get() + i * wide_lanes;
    double* low = memory.low.get() + i * wide_lanes;
    for (std::size_t lane = 0; lane < wide_lanes; lane += hn::Lanes(d)) {
      const DoubleDouble<Wide> raw{hn::Load(d, high + lane), hn::Load(d, low + lane)};
      const auto s = add(d, raw, hn::Load(d, biases + lane));
      hn::Store(s.high, d, high + lane);
      hn::Store(s.low, d, low + lane);
    }
    for (std::size_t lane = 0; lane < wide_lanes; ++lane)
      if (!visible[lane] || !(high[lane] >= least_score)) high[lane] = weightless_score, low[lane] = 0;
  }
}

/// n ln 2 + ln total. One step of Newton from the double logarithm y: ln t = y + ln(1 + x), x = t e^-y - 1.
DoubleDouble<Wide> log_sum_exp(Wide d, const DoubleDouble<Wide>& total, WideVector n) {
  const WideVector zero = hn::Zero(d);
  const WideVector y = hn::IfThenElseZero(hn::Gt(total.high, zero), log_of(d, total.high));
  const auto ratio = multiply(d, total, exp_shifted(d, DoubleDouble<Wide>{hn::Neg(y), zero}, zero));
  const auto x = add(d, ratio, hn::Set(d, -1.0));  // |x| < 2^-45: x^3 does not matter
  const auto half_square = hn::Mul(hn::Mul(x.high, x.high), hn::Set(d, -0.5));
  const auto log = add(d, add(d, x, half_square), y);
  const auto power =
      add(d, DoubleDouble<Wide>{hn::Mul(n, hn::Set(d, ln2_middle)), zero}, hn::Mul(n, hn::Set(d, ln2_rest)));
  return add(d, add(d, power, hn::Mul(n, hn::Set(d, ln2_high))), log);
}

/// The sinks of some lanes; weightless where there is none.
WideVector sinks_of(Wide d, const Memory& memory, std::size_t lane) {
  alignas(64) double sinks[wide_lanes];
  for (std::size_t l = 0; l < hn::Lanes(d); ++l) {
    const RowTask* row = memory.task.rows[lane + l];
    sinks[l] = row && row->sink && *row->sink >= least_score ? *row->sink : weightless_score;
  }
  return hn::Load(d, sinks);
}

/// Scores become weights; the total, and log_sum_exp. Returns nothing else: the weights stay in memory.
void weigh_rows(Wide d, Memory& memory, std::size_t lane, WideSums& sums) {
  const WideVector sink = sinks_of(d, memory, lane);
  WideVector top = sink;
  for (std::size_t i = 0; i < memory.keys.size(); ++i)
    top = hn::Max(top, hn::Load(d, memory.high.get() + i * wide_lanes + lane));
  constexpr double no_exponent = -0x1p22;  // beyond exponent_limit
  const WideVector shift = hn::Max(nearest_power(d, top), hn::Set(d, no_exponent));
  DoubleDouble<Wide> total = exp_shifted(d, DoubleDouble<Wide>{sink, hn::Zero(d)}, shift);
  for (std::size_t i = 0; i < memory.keys.size(); ++i) {
    double* high = memory.high.get() + i * wide_lanes + lane;
    double* low = memory.low.get() + i * wide_lanes + lane;
    const auto p = exp_shifted(d, DoubleDouble<Wide>{hn::Load(d, high), hn::Load(d, low)}, shift);
    accumulate(d, total, p);
    hn::Store(p.high, d, high);
    hn::Store(p.low, d, low);
  }
  total = fast_two_sum(d, total.high, total.low);
  const auto log = log_sum_exp(d, total, shift);
  hn::Store(shift, d, sums.exponent.high + lane);
  hn::Store(total.high, d, sums.total.high + lane);
  hn::Store(total.low, d, sums.total.low + lane);
  hn::Store(log.high, d, sums.log_sum_exp.high + lane);
  hn::Store(log.low, d, sums.log_sum_exp.low + lane);
}

/// Takes away the weights of dropped pairs.
void drop(Memory& memory) {
  for (std::size_t i = 0; i < memory.keys.size(); ++i)
    for (std::size_t lane = 0; lane < wide_lanes; ++lane)
      if (const RowTask* row = memory.task.rows[lane]; row && !bit(row->kept, memory.keys[i]))
        memory.high[i * wide_lanes + lane] = memory.low[i * wide_lanes + lane] = 0;
}

/// One output element of every row.
void add_values_of_slot(Wide d, const Memory& memory, std::size_t slot, WideSums& sums) {
  std::array<index, wide_lanes> channel{};
  for (std::size_t lane = 0; lane < wide_lanes; ++lane)
    if (const auto* channels = memory.task.channels[lane]; channels && slot < channels->size())
      channel[lane] = (*channels)[slot];
  for (std::size_t lane = 0; lane < wide_lanes; lane += hn::Lanes(d)) {
    DoubleDouble<Wide> sum{hn::Zero(d), hn::Zero(d)};
    WideVector magnitude = hn::Zero(d);
    for (std::size_t i = 0; i < memory.keys.size(); ++i) {
      alignas(64) double gathered[wide_lanes];
      for (std::size_t l = 0; l < hn::Lanes(d); ++l)
        gathered[l] = memory.any->head->value_at(memory.keys[i], channel[lane + l]);
      const WideVector v = hn::Load(d, gathered);
      const WideVector p = hn::Load(d, memory.high.get() + i * wide_lanes + lane);
      const auto product = two_product(d, p, v);
      const WideVector low = hn::Mul(hn::Load(d, memory.low.get() + i * wide_lanes + lane), v);
      accumulate(d, sum, DoubleDouble<Wide>{product.high, hn::Add(product.low, low)});
      magnitude = hn::Add(magnitude, hn::Abs(product.high));
    }
    const auto kept_share = two_sum(d, hn::Set(d, 1.0), hn::Set(d, -memory.any->problem->dropout));
    const DoubleDouble<Wide> weights{hn::Load(d, sums.total.high + lane), hn::Load(d, sums.total.low + lane)};
    const auto total = multiply(d, weights, kept_share);
    const auto out = divide(d, two_sum(d, sum.high, sum.low), total);
    hn::Store(out.high, d, sums.out[slot].high + lane);
    hn::Store(out.low, d, sums.out[slot].low + lane);
    hn::Store(hn::Div(magnitude, total.high), d, sums.magnitude[slot].high + lane);
  }
}

void sum_rows_wide_on_target(const WideTask& task, WideSums& sums) {
  const Wide d;
  std::size_t slots = 0;
  for (const auto* channels : task.channels)
    if (channels) slots = std::max(slots, channels->size());
  sums.out.assign(slots, {});
  sums.magnitude.assign(slots, {});
  Memory memory(task);
  fill_scores(d, memory);
  for (std::size_t lane = 0; lane < wide_lanes; lane += hn::Lanes(d)) weigh_rows(d, memory, lane, sums);
  if (memory.any->problem->dropout > 0) drop(memory);
  for (std::size_t slot = 0; slot < slots; ++slot) add_values_of_slot(d, memory, slot, sums);
}

template <class Function>
void apply(WideLanes& lanes, Function function) {
  const Wide d;
  for (std::size_t lane = 0; lane < wide_lanes; lane += hn::Lanes(d)) {
    const auto result = function(d, DoubleDouble<Wide>{hn::Load(d, lanes.high + lane), hn::Load(d, lanes.low + lane)});
    hn::Store(result.high, d, lanes.high + lane);
    hn::Store(result.low, d, lanes.low + lane);
  }
}

void exp_lanes(WideLanes& lanes) {
  apply(lanes, [](Wide d, const DoubleDouble<Wide>& x) HWY_ATTR { return exp_shifted(d, x, hn::Zero(d)); });
}
void tanh_lanes(WideLanes& lanes) {
  apply(lanes, [](Wide d, const DoubleDouble<Wide>& x) HWY_ATTR { return tanh(d, x); });
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(sum_rows_wide_on_target);
HWY_EXPORT(exp_lanes);
HWY_EXPORT(tanh_lanes);

void sum_rows_wide(const WideTask& task, WideSums& sums) { HWY_DYNAMIC_DISPATCH(sum_rows_wide_on_target)(task, sums); }
void exp_wide(WideLanes& lanes) { HWY_DYNAMIC_DISPATCH(exp_lanes)(lanes); }
void tanh_wide(WideLanes& lanes) { HWY_DYNAMIC_DISPATCH(tanh_lanes)(lanes); }

}  // namespace attestone
#endif
