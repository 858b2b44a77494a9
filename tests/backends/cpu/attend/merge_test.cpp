// SPDX-License-Identifier: Apache-2.0
// Two parts merged in four ways are one row in double; a part that saw nothing changes no bit.
#include "backends/cpu/attend/merge.hpp"

#include <cmath>
#include <numbers>

#include "backends/cpu/simd/softmax.hpp"
#include "tests/backends/cpu/simd/panel_memory.hpp"

namespace attestone {
namespace {

constexpr index n = panel_queries, value_dim = 3;
constexpr double merged_error = 16 * 0x1p-23;  ///< some exponentials, products and sums of floats

/// A part of each query's keys as a state: m, l and O at random, and every fourth query has seen nothing.
void set_part(AttendState& state, std::mt19937& random, index empty) {
  state.start({0, n - 1}, {});
  const AttendState::Panel panel = state.panel(0);
  std::uniform_real_distribution<float> score(-9, 9), number(1, 2);
  for (index i = 0; i < n; ++i) {
    if (i % 4 == empty) continue;
    panel.m[i] = score(random), panel.l[i] = number(random);
    for (index c = 0; c < value_dim; ++c) panel.OT[c * n + i] = number(random);
  }
}

/// One sum of a query's state, in double: of its weights times 1, or times v.
double sum_of(const AttendState::Panel& panel, index i, const float* of) {
  return panel.l[i] == 0 ? 0 : std::exp2(double{panel.m[i]}) * double{*of};
}

class Merge : public testing::Test {
 protected:
  Merge() : all_(device_, n, value_dim), part_(device_, n, value_dim) {
    std::mt19937 random(4);
    set_part(all_, random, 0), set_part(part_, random, 1);
    for (const index i : {2, 6}) all_.panel(0).l[i] = part_.panel(0).l[i] = 0;  // neither has seen anything
    for (const index i : {2, 6}) {
      all_.panel(0).m[i] = part_.panel(0).m[i] = -std::numeric_limits<float>::infinity();
      for (index c = 0; c < value_dim; ++c) all_.panel(0).OT[c * n + i] = part_.panel(0).OT[c * n + i] = 0;
    }
    const AttendState::Panel a = all_.panel(0), b = part_.panel(0);
    for (index i = 0; i < n; ++i) {
      l_.push_back(sum_of(a, i, a.l + i) + sum_of(b, i, b.l + i));
      for (index c = 0; c < value_dim; ++c)
        o_.push_back(sum_of(a, i, a.OT + c * n + i) + sum_of(b, i, b.OT + c * n + i));
    }
  }

  /// out and ln of the sum of weights, as exact as double is.
  void expect_answer(index i, const float* out, double log_sum_exp) const {
    const auto query = static_cast<std::size_t>(i);
    if (l_[query] == 0) {
      EXPECT_EQ(log_sum_exp, -std::numeric_limits<double>::infinity());
      for (index c = 0; c < value_dim; ++c) EXPECT_EQ(out[c * n + i], 0);
      return;
    }
    EXPECT_NEAR(log_sum_exp, std::log(l_[query]), 20 * merged_error);
    for (index c = 0; c < value_dim; ++c) {
      const double exact = o_[query * value_dim + static_cast<std::size_t>(c)] / l_[query];
      EXPECT_NEAR(double{out[c * n + i]} / exact, 1, 20 * merged_error) << i;
    }
  }
  void expect_state() {
    const AttendState::Panel panel = all_.panel(0);
    divide_by_sums(panel.OT, value_dim, panel.l);
    for (index i = 0; i < n; ++i) expect_answer(i, panel.OT, OnlineSoftmax{panel.m[i], panel.l[i]}.log_sum_exp());
  }
  PartAnswer answer(AttendState& state, double* log_sum_exp) {
    const AttendState::Panel panel = state.panel(0);
    divide_by_sums(panel.OT, value_dim, panel.l);
    for (index i = 0; i < n; ++i) log_sum_exp[i] = OnlineSoftmax{panel.m[i], panel.l[i]}.log_sum_exp();
    return {panel.OT, log_sum_exp};
  }

  Device device_;
  AttendState all_, part_;
  std::vector<double> l_, o_;
};

TEST_F(Merge, Rescales) {
  merge_rescaled(all_, part_);
  expect_state();
}

TEST_F(Merge, AddsWhereThereIsOneMaximum) {
  const AttendState::Panel a = all_.panel(0), b = part_.panel(0);
  alignas(allocation_alignment) float largest[panel_queries];
  for (index i = 0; i < n; ++i) largest[i] = std::max(a.m[i], b.m[i]);
  all_.raise(0, largest), part_.raise(0, largest);
  merge_of_one_maximum(all_, part_);
  expect_state();
}

TEST_F(Merge, BySigmoid) {
  double all[panel_queries], own[panel_queries];
  const PartAnswer merged = answer(all_, all);
  merge_by_sigmoid(merged, answer(part_, own), value_dim);
  for (index i = 0; i < n; ++i) expect_answer(i, merged.out, all[i]);
}

TEST_F(Merge, CorrectsLate) {
  double all[panel_queries], own[panel_queries], both[panel_queries];
  const PartAnswer a = answer(all_, all), b = answer(part_, own);
  for (index i = 0; i < n; ++i) both[i] = log_of_both(all[i], own[i]);
  correct_late(a, both, value_dim), correct_late(b, both, value_dim);
  for (index i = 0; i < value_dim * n; ++i) a.out[i] += b.out[i];
  for (index i = 0; i < n; ++i) expect_answer(i, a.out, both[i]);
}

}  // namespace
}  // namespace attestone
