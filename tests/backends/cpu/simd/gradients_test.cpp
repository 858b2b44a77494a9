// SPDX-License-Identifier: Apache-2.0
// The backward pass of a panel between its products, element by element in double.
#include "backends/cpu/simd/gradients.hpp"

#include <cmath>

#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/simd/score_terms.hpp"
#include "tests/backends/cpu/simd/panel_memory.hpp"

namespace attestone {
namespace {

constexpr index n = panel_queries, keys = 9;
constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

bool sees(const std::vector<QuerySet>& seen, index key, index query) {
  return seen[static_cast<std::size_t>(key)] >> query & 1;
}

std::vector<QuerySet> random_sets(std::mt19937& random) {
  std::vector<QuerySet> seen(keys);
  for (QuerySet& some : seen) some = random();
  seen[0] = ~QuerySet{0};
  return seen;
}

TEST(PanelGradients, WeightsAreThoseOfTheForwardPass) {
  on_every_target([](std::mt19937& random) {
    PanelMemory S(keys * n), exact(keys * n);
    S.set_normal(random, 4);
    std::copy_n(S.data(), keys * n, exact.data());
    std::vector<double> L(static_cast<std::size_t>(n), 3 + 0x1p-40);
    L[2] = -infinity;  // an empty query: nothing of it is seen
    const std::vector<QuerySet> seen = random_sets(random);
    S[1] = 100;  // rounding may put a score above L: the weight is 1
    exact[1] = 3 + 0x1p-40f;
    S[5 * n] = nan;  // hidden or not
    weights_from_log_sum_exp(S.data(), keys, L.data(), seen.data());
    for (index key = 0; key < keys; ++key)
      for (index query = 0; query < n; ++query) {
        const float p = S[key * n + query];
        if (!sees(seen, key, query)) {
          ASSERT_EQ(p, 0);
        } else if (key == 5 && query == 0) {
          ASSERT_TRUE(std::isnan(p));
        } else if (query != 2) {
          const double right = std::min(1.0, std::exp2(double{exact[key * n + query]} - L[0]));
          ASSERT_NEAR(p / right, 1, 0x1p-20) << key << " " << query;
        }
      }
  });
}

TEST(PanelGradients, OfScoresAndBiases) {
  on_every_target([](std::mt19937& random) {
    PanelMemory P(keys * n), dP(keys * n), exact(keys * n), delta(n), slopes(keys * n);
    P.set_integers(random), dP.set_integers(random), delta.set_integers(random), slopes.set_integers(random);
    std::copy_n(dP.data(), keys * n, exact.data());
    const std::vector<QuerySet> seen = random_sets(random);
    for (index key = 1; key < keys; ++key)
      for (index query = 0; query < n; ++query)
        if (!sees(seen, key, query)) dP[key * n + query] = nan, slopes[key * n + query] = infinity;
    bias_gradients(P.data(), dP.data(), keys, delta.data(), 1.5, seen.data());
    for (index key = 0; key < keys; ++key)
      for (index query = 0; query < n; ++query) {
        const index at = key * n + query;
        ASSERT_EQ(dP[at], sees(seen, key, query) ? P[at] * (1.5f * exact[at] - delta[query]) : 0);
        exact[at] = dP[at];
      }
    multiply_by_slopes(dP.data(), slopes.data(), keys, seen.data());
    for (index at = 0; at < keys * n; ++at) ASSERT_EQ(dP[at], sees(seen, at / n, at % n) ? exact[at] * slopes[at] : 0);
  });
}

TEST(PanelGradients, SumsOfProductsOfRows) {
  on_every_target([](std::mt19937& random) {
    for (const index channels : {1, 15, 16, 17, 64, 100}) {
      PanelMemory a(3 * (channels + 1)), b(3 * channels), sums(3);
      a.set_integers(random), b.set_integers(random);
      sums_of_products({a.data(), channels + 1}, {b.data(), channels}, 3, channels, sums.data());
      for (index row = 0; row < 3; ++row) {
        float exact = 0;
        for (index c = 0; c < channels; ++c) exact += a[row * (channels + 1) + c] * b[row * channels + c];
        ASSERT_EQ(sums[row], exact) << channels;
      }
    }
  });
}

TEST(PanelScores, AreCappedBiasedAndMovedByDistance) {
  on_every_target([](std::mt19937& random) {
    PanelMemory S(keys * n), before(keys * n), other(keys * n);
    const auto begin = [&] {
      S.set_normal(random, 2);
      std::copy_n(S.data(), keys * n, before.data());
    };
    begin();
    cap_scores(S.data(), keys * n, 5, other.data());
    for (index i = 0; i < keys * n; ++i) {
      const double tanh = std::tanh(double{before[i]});
      ASSERT_NEAR(S[i], 5 * tanh, 5 * 2 * float_tanh_error);
      ASSERT_NEAR(other[i], 1 - tanh * tanh, 3 * float_tanh_error);
    }
    begin(), other.set_normal(random);
    add_biases(S.data(), keys * n, other.data(), 1.25);
    for (index i = 0; i < keys * n; ++i)
      ASSERT_EQ(S[i], static_cast<float>(double{before[i]} + 1.25 * double{other[i]}));
    begin();
    add_distances(S.data(), keys, -4, 0.375);
    for (index i = 0; i < keys * n; ++i) {
      const auto distance = static_cast<double>(-4 + i / n - i % n);
      ASSERT_EQ(S[i], static_cast<float>(double{before[i]} + 0.375 * distance));
    }
    begin();
    subtract_absolute_distances(S.data(), keys, 3, 0.375);
    for (index i = 0; i < keys * n; ++i) {
      const auto distance = static_cast<double>(std::abs(3 + i / n - i % n));
      ASSERT_EQ(S[i], static_cast<float>(double{before[i]} - 0.375 * distance));
    }
  });
}

}  // namespace
}  // namespace attestone
