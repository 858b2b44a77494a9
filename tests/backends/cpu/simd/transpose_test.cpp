// SPDX-License-Identifier: Apache-2.0
// Transposed and back, for every number of queries and some of channels.
#include "backends/cpu/simd/transpose.hpp"

#include "tests/backends/cpu/simd/panel_memory.hpp"

namespace attestone {
namespace {

constexpr index n = panel_queries;

TEST(Transpose, ColumnsAreRowsAndBack) {
  on_every_target([](std::mt19937& random) {
    for (index count = 1; count <= n; ++count)
      for (const index channels : {1, 3, 4, 5, 8, 31, 64}) {
        const index stride = channels + 2;
        PanelMemory rows(count * stride), panel(channels * n), back(count * stride);
        rows.set_normal(random), panel.set_all(9), back.set_all(-1);
        rows_to_panel({rows.data(), stride}, count, channels, panel.data());
        for (index c = 0; c < channels; ++c)
          for (index i = 0; i < n; ++i) ASSERT_EQ(panel[c * n + i], i < count ? rows[i * stride + c] : 0);
        panel_to_rows(panel.data(), channels, count, back.data(), stride);
        for (index i = 0; i < count; ++i)
          for (index c = 0; c < stride; ++c)
            ASSERT_EQ(back[i * stride + c], c < channels ? rows[i * stride + c] : -1) << count << " " << channels;
      }
  });
}

}  // namespace
}  // namespace attestone
