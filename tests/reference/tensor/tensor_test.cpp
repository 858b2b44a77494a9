// SPDX-License-Identifier: Apache-2.0
// A tensor sees a write to any byte that belongs to no element, and only to those.
#include "reference/tensor/tensor.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

#include "reference/registry.hpp"
#include "reference/tensor/layout.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {
namespace {

constexpr std::ptrdiff_t band = 1024;  // bytes on each side, as the tensor promises
constexpr Extents extents{2, 3, 4, 5};

Tensor laid_out(std::string_view layout, const DType& type) {
  return Tensor(type, extents,
                Registry<Layout>::find(layout)->strides({2, 3, 3, 4, 4, 5, 5}, TensorName::key, extents));
}

/// Changes each byte from `begin` to `end` alone, and counts the changes that the guards see.
index seen_changes(Tensor& tensor, std::byte* begin, std::byte* end) {
  index seen = 0;
  for (std::byte* byte = begin; byte != end; ++byte) {
    *byte ^= std::byte{1};
    seen += !tensor.guards_intact();
    *byte ^= std::byte{1};
  }
  return seen;
}

TEST(Tensor, IsPoisonedAlignedAndIntactAtFirst) {
  for (const auto& [name, layout] : Registry<Layout>::all()) {
    Tensor tensor = laid_out(name, dtype("f32"));
    EXPECT_TRUE(tensor.guards_intact()) << name;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.bytes().data()) % 64, 0u) << name;
    tensor.fill_code(dtype("f32").encode(1.5));
    EXPECT_TRUE(tensor.guards_intact()) << name;
    EXPECT_EQ(tensor.view().value(1, 2, 3, 4), 1.5) << name;
  }
}

TEST(Tensor, SeesEveryByteOfBothBands) {
  Tensor tensor = laid_out("bhsd", dtype("bf16"));
  std::byte* const begin = tensor.bytes().data();
  std::byte* const end = begin + tensor.bytes().size();
  EXPECT_EQ(seen_changes(tensor, begin - band, begin), band);
  EXPECT_EQ(seen_changes(tensor, end, end + band), band);
  EXPECT_EQ(seen_changes(tensor, begin, end), 0);
}

TEST(Tensor, CopiesHaveIntactBandsWhateverTheirMemoryHeldBefore) {
  const auto damage = [](Tensor& tensor) {
    std::byte *const begin = tensor.bytes().data(), *const end = begin + tensor.bytes().size();
    std::fill(begin - 64, begin, std::byte{0});
    std::fill(end, end + 64, std::byte{0});
  };
  for (const auto& [name, layout] : Registry<Layout>::all()) {
    if (name == "sparse") continue;  // whose copies have the pages of the original, as they are
    Tensor tensor = laid_out(name, dtype("f32"));
    tensor.fill_code(dtype("f32").encode(1.5));
    damage(tensor);
    {
      Tensor before = tensor;  // whose memory the next copy gets
      damage(before);
    }
    const Tensor copy = tensor;
    EXPECT_TRUE(copy.guards_intact()) << name;
    EXPECT_TRUE(copy.same_bytes(tensor)) << name;
  }
}

TEST(Tensor, SeesEveryByteOfEveryGap) {
  for (const char* name : {"f32", "e4m3"}) {
    Tensor tensor = laid_out("strided", dtype(name));
    const auto bytes = tensor.bytes();
    const index elements = dtype(name).bytes(element_count(extents));
    EXPECT_GT(static_cast<index>(bytes.size()), elements);
    EXPECT_EQ(seen_changes(tensor, bytes.data(), bytes.data() + bytes.size()),
              static_cast<index>(bytes.size()) - elements);
  }
}

TEST(Tensor, OverlapDoesNotHideAGap) {
  // Two heads share one address, and every second channel is a gap: as many elements as places, yet not packed.
  Tensor tensor(dtype("e5m2"), {1, 2, 1, 2}, {4, 0, 4, 3});
  EXPECT_EQ(tensor.bytes().size(), 4u);
  EXPECT_EQ(seen_changes(tensor, tensor.bytes().data(), tensor.bytes().data() + 4), 2);
}

TEST(Tensor, SeesEveryByteBehindTheLastRaggedRow) {
  // Sequences of 1, 0 and 4 rows, three heads, two channels: 30 elements and nothing between them.
  Tensor tensor(dtype("f32"), {3, 3, 4, 2}, {24, 2, 6, 1}, {0, 1, 1, 5});
  EXPECT_EQ(tensor.bytes().size(), 30 * 4u);
  tensor.fill_code(0);
  std::byte* const begin = tensor.bytes().data();
  std::byte* const end = begin + tensor.bytes().size();
  EXPECT_EQ(seen_changes(tensor, begin - band, begin), band);
  EXPECT_EQ(seen_changes(tensor, begin, end), 0);
  EXPECT_EQ(seen_changes(tensor, end, end + band), band);
}

TEST(Tensor, ARaggedRowBeginsWhereThePreviousSequenceEnds) {
  Tensor tensor(dtype("f32"), {3, 3, 4, 2}, {24, 2, 6, 1}, {0, 1, 1, 5});
  const View view = tensor.view();
  EXPECT_EQ(view.rows(0), 1);
  EXPECT_EQ(view.rows(1), 0);
  EXPECT_EQ(view.rows(2), 4);
  view.set(2, 1, 3, 1, 7);  // row 1 + 3, head 1, channel 1
  float stored = 0;
  std::memcpy(&stored, tensor.bytes().data() + sizeof(float) * (4 * 6 + 1 * 2 + 1), sizeof(float));
  EXPECT_EQ(stored, 7);
  const Tensor copy = tensor;
  EXPECT_EQ(copy.view().value(2, 1, 3, 1), 7);
}

TEST(Tensor, RaggedRowsThatDoNotExistAreNotLookedAt) {
  Tensor tensor(dtype("f32"), {3, 3, 4, 2}, {24, 2, 6, 1}, {0, 1, 1, 5});
  EXPECT_NO_THROW(tensor.view().at(0, 2, 0, 1));
  EXPECT_THROW(tensor.view().at(0, 0, 1, 0), BrokenAssumption);
  EXPECT_THROW(tensor.view().set(1, 0, 0, 0, 1), BrokenAssumption);
  EXPECT_THROW(tensor.view().broadcast_to({3, 3, 4, 2}), BrokenAssumption);
}

TEST(Tensor, FarRowsAreGuardedAndTheRestIsNoMemory) {
  const index apart = index{1} << 31;
  Tensor tensor(dtype("f32"), {1, 2, 3, 4}, {6 * apart, 3 * apart, apart, 1});
  EXPECT_EQ(tensor.bytes().size(), static_cast<std::size_t>(4 * (5 * apart + 4)));
  EXPECT_LT(tensor.held_bytes(), 100'000u);
  tensor.fill_code(0x3F800000);
  EXPECT_EQ(tensor.view().value(0, 1, 2, 3), 1);
  EXPECT_TRUE(tensor.guards_intact());
  const Tensor copy = tensor;
  EXPECT_TRUE(copy.same_bytes(tensor));
  EXPECT_TRUE(copy.guards_intact());
  std::byte* const begin = tensor.bytes().data();
  const auto is_seen = [&](index place) {
    begin[place] ^= std::byte{1};
    const bool seen = !tensor.guards_intact() && !copy.same_bytes(tensor);
    begin[place] ^= std::byte{1};
    return seen;
  };
  EXPECT_TRUE(is_seen(16)) << "behind the first row";
  EXPECT_TRUE(is_seen(4 * apart - 1)) << "before the second row";
  EXPECT_TRUE(is_seen(2 * apart)) << "in the middle of nowhere";
  EXPECT_TRUE(tensor.guards_intact());
  begin[-1] ^= std::byte{1};
  EXPECT_FALSE(tensor.guards_intact());
}

TEST(Tensor, ThatIsNotThereIsNotLookedAt) {
  Tensor tensor = Tensor::absent(dtype("f32"), {1, 2, 3, 4}, {24, 12, 4, 1});
  EXPECT_FALSE(tensor.exists());
  EXPECT_FALSE(tensor.view().exists());
  EXPECT_EQ(tensor.view().extents(), (Extents{1, 2, 3, 4}));
  EXPECT_TRUE(tensor.bytes().empty());
  tensor.fill_code(0);
  EXPECT_TRUE(tensor.guards_intact());
  EXPECT_TRUE(Tensor(tensor).same_bytes(tensor));
  EXPECT_THROW(tensor.view().set(0, 0, 0, 0, 1), BrokenAssumption);
  EXPECT_THROW(tensor.view().value(0, 0, 0, 0), BrokenAssumption);
}

TEST(Tensor, SpareRowsBehindRaggedSequencesAreGuarded) {
  Tensor tensor(dtype("f32"), {3, 3, 4, 2}, {24, 2, 6, 1}, {0, 1, 1, 5}, 2);
  EXPECT_EQ(tensor.bytes().size(), 7 * 6 * 4u);
  EXPECT_EQ(tensor.view().row_map().in_memory({3, 3, 4, 2}), (Extents{1, 3, 7, 2}));
  tensor.fill_code(0);
  std::byte* const begin = tensor.bytes().data();
  EXPECT_EQ(seen_changes(tensor, begin, begin + 30 * 4), 0);
  EXPECT_EQ(seen_changes(tensor, begin + 30 * 4, begin + 42 * 4), 12 * 4);
}

TEST(Tensor, MayBeEmpty) {
  Tensor tensor(dtype("f32"), {1, 2, 0, 4});
  EXPECT_EQ(tensor.bytes().size(), 0u);
  EXPECT_TRUE(tensor.guards_intact());
  EXPECT_EQ(seen_changes(tensor, tensor.bytes().data() - band, tensor.bytes().data() + band), 2 * band);
}

TEST(Tensor, ReadsRowsThroughItsStrides) {
  Tensor tensor = laid_out("strided", dtype("f16"));
  for (index channel = 0; channel < extents[3]; ++channel)
    tensor.view().set(1, 2, 3, channel, static_cast<double>(channel) / 4);
  std::vector<double> row(5);
  RowReader(tensor.view()).read(1, 2, 3, row);
  EXPECT_EQ(row, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
}

}  // namespace
}  // namespace attestone
