// SPDX-License-Identifier: Apache-2.0
// The micro-kernels against three loops, of every size that leaves a remainder, on every instruction set.
#include "backends/cpu/simd/products.hpp"

#include "tests/backends/cpu/simd/panel_memory.hpp"

namespace attestone {
namespace {

constexpr index n = panel_queries;
constexpr index sizes[] = {1, 2, 3, 5, 6, 7, 11, 12, 13, 23, 24, 25, 64};

TEST(Products, ScoreEveryKey) {
  on_every_target([](std::mt19937& random) {
    for (const index keys : sizes)
      for (const index dim : {index{1}, index{3}, index{64}}) {
        const index stride = dim + 5;
        PanelMemory K(keys * stride), QT(dim * n), S(keys * n), largest(n);
        K.set_integers(random), QT.set_integers(random), largest.set_all(-3);
        score_keys({K.data(), stride}, keys, dim, QT.data(), 0.5f, S.data(), largest.data());
        for (index query = 0; query < n; ++query) {
          float top = -3;
          for (index key = 0; key < keys; ++key) {
            float sum = 0;
            for (index c = 0; c < dim; ++c) sum += K[key * stride + c] * QT[c * n + query];
            ASSERT_EQ(S[key * n + query], sum / 2) << keys << " " << dim;
            top = std::max(top, sum / 2);
          }
          ASSERT_EQ(largest[query], top) << keys << " " << dim;
        }
      }
  });
}

TEST(Products, PassOverNanInTheMaximum) {
  on_every_target([](std::mt19937&) {
    PanelMemory K(14), QT(n), S(14 * n), largest(n);
    QT.set_all(1), largest.set_all(-std::numeric_limits<float>::infinity());
    for (index key = 0; key < 14; ++key) K[key] = static_cast<float>(key);
    K[3] = K[13] = std::numeric_limits<float>::quiet_NaN();
    score_keys({K.data(), 1}, 14, 1, QT.data(), 1, S.data(), largest.data());
    EXPECT_EQ(largest[0], 12);
    EXPECT_EQ(largest[n - 1], 12);
    EXPECT_TRUE(std::isnan(S[3 * n])) << "the score itself keeps it";
  });
}

TEST(Products, AddWeightedRows) {
  on_every_target([](std::mt19937& random) {
    for (const index channels : sizes)
      for (const index keys : {index{0}, index{1}, index{9}, index{64}}) {
        const index stride = channels + 3;
        PanelMemory V(keys * stride), P(keys * n), OT(channels * n), shrink(n);
        V.set_integers(random), P.set_integers(random), OT.set_all(7), shrink.set_integers(random);
        add_weighted_rows({V.data(), stride}, keys, channels, P.data(), shrink.data(), OT.data());
        for (index c = 0; c < channels; ++c)
          for (index query = 0; query < n; ++query) {
            float sum = shrink[query] * 7;
            for (index key = 0; key < keys; ++key) sum += V[key * stride + c] * P[key * n + query];
            ASSERT_EQ(OT[c * n + query], sum) << keys << " " << channels;
          }
      }
  });
}

TEST(Products, AddWeightsTimesRows) {
  on_every_target([](std::mt19937& random) {
    for (const index keys : sizes)
      for (const index queries : {index{1}, index{17}, n})
        for (const index width : {n, 3 * n}) {
          const index stride = width + 7;  // rows as they lie in a tensor need not be aligned
          PanelMemory P(keys * n), dO(queries * stride), dV(keys * width);
          P.set_integers(random), dO.set_integers(random), dV.set_all(-2);
          add_weights_times_rows(P.data(), keys, {dO.data(), stride}, queries, width, dV.data());
          for (index key = 0; key < keys; ++key)
            for (index c = 0; c < width; ++c) {
              float sum = -2;
              for (index query = 0; query < queries; ++query) sum += P[key * n + query] * dO[query * stride + c];
              ASSERT_EQ(dV[key * width + c], sum) << keys << " " << queries << " " << width;
            }
        }
  });
}

}  // namespace
}  // namespace attestone
