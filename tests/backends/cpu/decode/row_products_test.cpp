// SPDX-License-Identifier: Apache-2.0
// Products of rows against three loops, of every size that leaves a remainder, on every instruction set.
#include "backends/cpu/decode/row_products.hpp"

#include <map>

#include "tests/backends/cpu/simd/panel_memory.hpp"

namespace attestone {
namespace {

constexpr index query_counts[] = {1, 2, 3, 4, 5, 7, 8, 9};
constexpr index key_counts[] = {1, 2, 3, 4, 5, 8, 31, 64};

TEST(RowProducts, DotEveryKeyWithEveryQuery) {
  on_every_target([](std::mt19937& random) {
    for (const index queries : query_counts)
      for (const index keys : key_counts)
        for (const index dim : {row_lanes, 3 * row_lanes}) {
          const index far = dim + 5, stride = filled_up(keys);
          PanelMemory Q(queries * dim), K(keys * far), S(queries * stride);
          Q.set_integers(random), K.set_integers(random);
          dot_rows({Q.data(), dim}, queries, {K.data(), far}, keys, dim, S.data(), stride, {});
          for (index query = 0; query < queries; ++query)
            for (index key = 0; key < keys; ++key) {
              float sum = 0;
              for (index c = 0; c < dim; ++c) sum += Q[query * dim + c] * K[key * far + c];
              ASSERT_EQ(S[query * stride + key], sum) << queries << " " << keys << " " << dim;
            }
        }
  });
}

TEST(RowProducts, AddEveryKeyToEveryQuery) {
  on_every_target([](std::mt19937& random) {
    for (const index queries : query_counts)
      for (const index keys : key_counts)
        for (const index channels : {row_lanes, 3 * row_lanes}) {
          const index far = channels + 3, stride = keys + 2;
          PanelMemory P(queries * stride), V(keys * far), O(queries * channels);
          P.set_integers(random), V.set_integers(random), O.set_all(7);
          add_rows({P.data(), stride}, queries, {V.data(), far}, keys, channels, O.data(), {});
          for (index query = 0; query < queries; ++query)
            for (index c = 0; c < channels; ++c) {
              float sum = 7;
              for (index key = 0; key < keys; ++key) sum += P[query * stride + key] * V[key * far + c];
              ASSERT_EQ(O[query * channels + c], sum) << queries << " " << keys << " " << channels;
            }
        }
  });
}

/// Bits depend on whether products are fused, on the key and the query, and on nothing else: not on the width of
/// vectors, and not on who stands beside.
TEST(RowProducts, HaveTheSameBitsInAnyCompany) {
  constexpr index dim = 4 * row_lanes, keys = 7, stride = row_lanes;
  std::map<bool, std::vector<float>> first;
  on_every_target([&](std::mt19937& random) {
    PanelMemory Q(5 * dim), K(keys * dim), S(5 * stride), O(5 * dim), alone(stride), o(dim);
    Q.set_normal(random), K.set_normal(random), O.set_all(0);
    dot_rows({Q.data(), dim}, 5, {K.data(), dim}, keys, dim, S.data(), stride, {});
    add_rows({S.data(), stride}, 5, {K.data(), dim}, keys, dim, O.data(), {});
    std::vector<float> all;
    for (index query = 0; query < 5; ++query) {
      dot_rows({Q.data() + query * dim, dim}, 1, {K.data(), dim}, keys, dim, alone.data(), stride, {});
      for (index key = 0; key < keys; ++key) ASSERT_EQ(alone[key], S[query * stride + key]);
      o.set_all(0);
      for (index key = 0; key < keys; ++key)
        add_rows({alone.data() + key, stride}, 1, {K.data() + key * dim, dim}, 1, dim, o.data(), {});
      for (index c = 0; c < dim; ++c) ASSERT_EQ(o[c], O[query * dim + c]);
      all.insert(all.end(), alone.data(), alone.data() + keys);
      all.insert(all.end(), o.data(), o.data() + dim);
    }
    const bool fused = fuses(hwy::SupportedAndGeneratedTargets().front());
    const auto [known, fresh] = first.try_emplace(fused, all);
    EXPECT_TRUE(fresh || known->second == all);
  });
}

/// What is fetched ahead is never read: neither rows that are shorter, nor the place of rows that there are not.
TEST(RowProducts, FetchWithoutReading) {
  on_every_target([](std::mt19937& random) {
    constexpr index dim = 2 * row_lanes, keys = 12;
    PanelMemory Q(3 * dim), K(keys * dim), S(3 * row_lanes), other(3 * row_lanes);
    Q.set_normal(random), K.set_normal(random);
    dot_rows({Q.data(), dim}, 3, {K.data(), dim}, keys, dim, S.data(), row_lanes, {});
    const ComingRows nowhere{reinterpret_cast<const std::byte*>(Q.data()), 5, index{1} << 40, 4};
    dot_rows({Q.data(), dim}, 3, {K.data(), dim}, keys, dim, other.data(), row_lanes, nowhere);
    for (index query = 0; query < 3; ++query)
      for (index key = 0; key < keys; ++key) ASSERT_EQ(S[query * row_lanes + key], other[query * row_lanes + key]);
  });
}

}  // namespace
}  // namespace attestone
