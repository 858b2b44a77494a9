// SPDX-License-Identifier: Apache-2.0
// Hidden rows that hold NaN or infinities reach nobody, and change no bit of what others get; seen ones reach all.
#include "backends/cpu/attend/seen_products.hpp"

#include <cmath>
#include <functional>

#include "tests/backends/cpu/simd/panel_memory.hpp"

namespace attestone {
namespace {

constexpr index n = panel_queries, keys = 13, channels = 37, width = 64;
constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

struct Case {
  explicit Case(std::mt19937& random) : weights(keys * n), shrink(n), seen(keys) {
    weights.set_normal(random), shrink.set_all(0.75f);
    for (QuerySet& some : seen) some = random() | 1;  // query 0 sees every key
    seen[4] = ~QuerySet{0};
    for (index key = 0; key < keys; ++key)
      for (index query = 0; query < n; ++query)
        if (!sees(key, query)) weights[key * n + query] = 0;
  }
  bool sees(index key, index query) const { return seen[static_cast<std::size_t>(key)] >> query & 1; }
  SeenPairs pairs() const { return {seen.data(), ~QuerySet{0}}; }

  PanelMemory weights, shrink;
  std::vector<QuerySet> seen;
};

/// `poisoned(at)` is what must not be finite, of 0 ... count - 1; everything else must be the same bits.
void expect_same_but(PanelMemory& clean, PanelMemory& dirty, index count, const std::function<bool(index)>& poisoned) {
  for (index at = 0; at < count; ++at)
    if (poisoned(at))
      ASSERT_FALSE(std::isfinite(dirty[at])) << at;
    else
      ASSERT_EQ(std::bit_cast<std::uint32_t>(clean[at]), std::bit_cast<std::uint32_t>(dirty[at])) << at;
}

TEST(SeenProducts, KeysReachThoseWhoSeeThem) {
  std::mt19937 random(7);
  for (const float poison : {nan, infinity, -infinity}) {
    Case of(random);
    PanelMemory rows(keys * channels), clean(channels * n), dirty(channels * n), cleared(keys * channels);
    rows.set_normal(random), clean.set_all(1), dirty.set_all(1);
    add_seen_keys(of.pairs(), {rows.data(), channels}, keys, channels, of.weights.data(), of.shrink.data(),
                  clean.data(), cleared.data());
    rows[6 * channels + 3] = poison;
    add_seen_keys(of.pairs(), {rows.data(), channels}, keys, channels, of.weights.data(), of.shrink.data(),
                  dirty.data(), cleared.data());
    expect_same_but(clean, dirty, channels * n, [&](index at) { return at / n == 3 && of.sees(6, at % n); });
  }
}

TEST(SeenProducts, QueriesReachTheKeysThatTheySee) {
  std::mt19937 random(8);
  for (const float poison : {nan, infinity, -infinity}) {
    Case of(random);
    PanelMemory rows(n * width), clean(keys * width), dirty(keys * width), cleared(n * width);
    rows.set_normal(random), clean.set_all(1), dirty.set_all(1);
    const auto add = [&](PanelMemory& out) {
      add_seen_queries(of.pairs(), of.weights.data(), keys, {rows.data(), width}, n, channels, width, out.data(),
                       cleared.data());
    };
    add(clean);
    rows[9 * width + 3] = poison;
    add(dirty);
    expect_same_but(clean, dirty, keys * width, [&](index at) { return at % width == 3 && of.sees(at / width, 9); });
  }
}

TEST(SeenProducts, WhatAllSeeIsOneProduct) {
  std::mt19937 random(9);
  Case of(random);
  std::ranges::fill(of.seen, ~QuerySet{0});
  PanelMemory rows(keys * channels), out(channels * n);
  rows.set_normal(random), out.set_all(0);
  rows[0] = infinity;
  add_seen_keys(of.pairs(), {rows.data(), channels}, keys, channels, of.weights.data(), of.shrink.data(), out.data(),
                nullptr);
  for (index query = 0; query < n; ++query) EXPECT_FALSE(std::isfinite(out[query]));
}

}  // namespace
}  // namespace attestone
