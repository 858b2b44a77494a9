// SPDX-License-Identifier: Apache-2.0
// Where each layout puts its elements.
#include "reference/tensor/layout.hpp"

#include <gtest/gtest.h>
#include <set>

#include "reference/registry.hpp"

namespace attestone {
namespace {

constexpr Extents extents{2, 3, 4, 5};

// Three query heads share one kv head: one row of the packed buffer is five heads wide.
constexpr Shape shape{2, 3, 1, 4, 4, 5, 5};

Strides strides(std::string_view layout, TensorName tensor) {
  return Registry<Layout>::find(layout)->strides(shape, tensor, extents);
}

/// How many different places the elements have.
std::size_t places(const Strides& s) {
  std::set<index> all;
  for (index b = 0; b < extents[0]; ++b)
    for (index h = 0; h < extents[1]; ++h)
      for (index r = 0; r < extents[2]; ++r)
        for (index c = 0; c < extents[3]; ++c) all.insert(b * s[0] + h * s[1] + r * s[2] + c * s[3]);
  return all.size();
}

TEST(Layout, NoTwoElementsShareAPlaceUnlessTheLayoutSaysSo) {
  const auto all = static_cast<std::size_t>(element_count(extents));
  for (const auto& [name, layout] : Registry<Layout>::all())
    for (const TensorName tensor : {TensorName::query, TensorName::key, TensorName::value, TensorName::out}) {
      const bool shares = layout.shares_places && (tensor == TensorName::key || tensor == TensorName::value);
      EXPECT_EQ(places(strides(name, tensor)), shares ? all / extents[1] : all) << name;
    }
}

TEST(Layout, StridesAreAsNamed) {
  EXPECT_EQ(strides("bhsd", TensorName::query), (Strides{60, 20, 5, 1}));
  EXPECT_EQ(strides("bshd", TensorName::key), (Strides{60, 5, 15, 1}));
  EXPECT_EQ(strides("broadcast", TensorName::value), (Strides{20, 0, 5, 1}));
  EXPECT_EQ(strides("broadcast", TensorName::out), (Strides{60, 20, 5, 1}));
  EXPECT_EQ(strides("transposed", TensorName::key), (Strides{60, 20, 1, 4}));
  EXPECT_EQ(strides("packed_qkv", TensorName::query), (Strides{100, 5, 25, 1}));
  EXPECT_EQ(strides("packed_qkv", TensorName::value), (Strides{100, 5, 25, 1}));
  EXPECT_EQ(strides("packed_qkv", TensorName::out), (Strides{60, 5, 15, 1}));
}

TEST(Layout, OnlyPackedQkvIsParticularAboutShapes) {
  for (const auto& [name, layout] : Registry<Layout>::all())
    for (const Shape& other : {Shape{2, 3, 1, 4, 3, 5, 5}, Shape{2, 3, 1, 4, 4, 5, 6}}) {
      EXPECT_TRUE(layout.takes(shape)) << name;
      EXPECT_EQ(layout.takes(other), name != "packed_qkv") << name;
    }
}

TEST(Layout, StridedHasAGapAfterEveryAxis) {
  const Strides s = strides("strided", TensorName::out);
  EXPECT_GT(s[2], extents[3]);
  EXPECT_GT(s[1], extents[2] * s[2]);
  EXPECT_GT(s[0], extents[1] * s[1]);
}

}  // namespace
}  // namespace attestone
