// SPDX-License-Identifier: Apache-2.0
// vdpbf16ps and tdpbf16ps against their twins, bit by bit, and both against what Intel's manual says of them; where the
// machine lacks one, its twin against the manual alone.
#include "backends/cpu/simd/bfloat16_instructions.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <ostream>
#include <vector>

#include "backends/cpu/simd/codes.hpp"
#include "tests/backends/cpu/simd/panel_memory.hpp"
#include "tests/effort.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

constexpr index n = panel_queries;

/// How an instruction might be misunderstood.
struct Reading {
  bool swaps_pairs = false;       ///< of dots: the first of a pair before the second
  bool one_chain = false;         ///< of tiles: no separate sums of even and odd products
  bool keeps_subnormals = false;  ///< of operands and of sums
};

/// A second definition, from the pseudocode of the manual (VDPBF16PS, TDPBF16PS).
class Manual {
 public:
  explicit Manual(Reading reading) : reading_(reading) {}

  float dots(const std::uint16_t* a, const std::uint32_t* b, index products) const {
    float sum = 0;
    for (index at = 0; at < products; at += 2)
      for (const index half : reading_.swaps_pairs ? std::array{index{0}, index{1}} : std::array{index{1}, index{0}})
        sum = multiply_add(operand(a[at + half]), operand(code(b[at / 2 * n], half)), sum);
    return sum;
  }

  float tiles(const std::uint16_t* a, const std::uint32_t* b, index products, float sum) const {
    for (index done = 0; done < products; done += 32) {
      std::array<float, 2> chains{};
      for (index at = done; at < done + 32; at += 2)
        for (const index half : {index{0}, index{1}}) {
          float& chain = chains[reading_.one_chain ? 0 : static_cast<std::size_t>(half)];
          chain = multiply_add(operand(a[at + half]), operand(code(b[at / 2 * n], half)), chain);
        }
      sum = flushed(flushed(sum) + flushed(chains[0] + chains[1]));
    }
    return sum;
  }

 private:
  static std::uint16_t code(std::uint32_t pair, index half) {
    return static_cast<std::uint16_t>(half == 0 ? pair : pair >> 16);
  }
  float operand(std::uint16_t bits) const { return flushed(decode_bf16(bits)); }
  float flushed(float x) const {
    return !reading_.keeps_subnormals && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
  }
  /// Rounded as if exponents had no end, then flushed: what is at least half a unit of 24 bits below the smallest
  /// normal number does not round up to it.
  float multiply_add(float a, float b, float c) const {
    const float sum = std::fma(a, b, c);
    if (reading_.keeps_subnormals || !(std::fabs(sum) <= 0x1p-126f)) return sum;
    const double exact = std::fma(double{a}, double{b}, double{c});
    return std::fabs(exact) < 0x1p-126 - 0x1p-151 ? std::copysign(0.0f, sum) : sum;
  }

  Reading reading_;
};

/// Codes of one kind: of all bits, near 1, over many magnitudes, where products are subnormal, with what is not finite,
/// or near the largest.
std::uint16_t draw_code(int kind, std::mt19937& random) {
  const auto any = static_cast<std::uint16_t>(random());
  const auto with_exponent = [&](unsigned exponent) {
    return static_cast<std::uint16_t>((any & 0x807Fu) | exponent << 7);
  };
  switch (kind) {
    case 1:
      return with_exponent(120 + random() % 16);
    case 2:
      return with_exponent(30 + random() % 70);
    case 3:
      return with_exponent(random() % 4 == 0 ? 0 : 58 + random() % 12);
    case 4: {
      constexpr std::array<std::uint16_t, 6> special{0x7F80, 0xFF80, 0x7FC1, 0x7F81, 0x8000, 0};
      return random() % 40 < special.size() ? special[random() % special.size()] : with_exponent(127);
    }
    case 5:
      return with_exponent(240 + random() % 15);
    default:
      return any;
  }
}
constexpr int kinds = 6;

/// One product of matrices.
struct Case {
  index rows, products, stride;
  std::vector<std::uint16_t> left;
  std::vector<std::uint32_t> pairs;
  std::vector<float> before;

  Case(int kind, std::mt19937& random) {
    rows = static_cast<index>(1 + random() % 40), products = static_cast<index>(32 * (1 + random() % 3));
    stride = products + static_cast<index>(random() % 5);
    for (index i = 0; i < rows * stride; ++i) left.push_back(draw_code(kind, random));
    for (index i = 0; i < products / 2 * n; ++i)
      pairs.push_back(draw_code(kind, random) | std::uint32_t{draw_code(kind, random)} << 16);
    for (index i = 0; i < rows * n; ++i)
      before.push_back(random() % 3 == 0 ? std::bit_cast<float>(static_cast<std::uint32_t>(random()))
                                         : decode_bf16(draw_code(kind, random)));
  }

  /// Bits of each element, all NaN alike.
  using Bits = std::vector<std::uint32_t>;
  static std::uint32_t bits(float x) { return x == x ? std::bit_cast<std::uint32_t>(x) : 0x7FC00000; }

  Bits by(MultiplyPairs& multiply, SumsBegin begin) const {
    PanelMemory out(rows * n);
    std::copy(before.begin(), before.end(), out.data());
    multiply({left.data(), stride, 2}, rows, pairs.data(), products, begin, out.data());
    Bits all;
    for (index i = 0; i < rows * n; ++i) all.push_back(bits(out[i]));
    return all;
  }

  Bits by_manual(PairProducts how, Reading reading, SumsBegin begin) const {
    Bits all;
    for (index row = 0; row < rows; ++row)
      for (index i = 0; i < n; ++i) {
        const float start = begin == SumsBegin::with_out ? before[static_cast<std::size_t>(row * n + i)] : 0;
        const std::uint16_t* a = left.data() + row * stride;
        const std::uint32_t* b = pairs.data() + i;
        const Manual manual(reading);
        all.push_back(bits(how == PairProducts::dots ? start + manual.dots(a, b, products)
                                                     : manual.tiles(a, b, products, start)));
      }
    return all;
  }
};

struct Instruction {
  const char* name;
  PairProducts how;
  MultiplyPairs& itself;
  MultiplyPairs& twin;

  friend void PrintTo(const Instruction& instruction, std::ostream* out) { *out << instruction.name; }
};

class Bfloat16Instructions : public testing::TestWithParam<Instruction> {};

TEST_P(Bfloat16Instructions, AreWhatTheManualSays) {
  const Instruction& of = GetParam();
  const bool is_there = has_instruction(of.how);
  std::cout << of.name << (is_there ? " is there\n" : " is not there: the twin alone\n");
  std::mt19937 random(7);
  for (index i = 0; i < effort(60, 3000); ++i)
    for (int kind = 0; kind < kinds; ++kind) {
      const Case one(kind, random);
      for (const SumsBegin begin : {SumsBegin::at_zero, SumsBegin::with_out}) {
        const auto want = one.by_manual(of.how, {}, begin);
        ASSERT_EQ(one.by(of.twin, begin), want) << "kind " << kind;
        if (is_there) {
          ASSERT_EQ(one.by(of.itself, begin), want) << "kind " << kind;
        }
      }
    }
}

TEST_P(Bfloat16Instructions, TwinsAreTheSameOnEveryTarget) {
  const Instruction& of = GetParam();
  std::mt19937 draws(8);
  for (int kind = 0; kind < kinds; ++kind) {
    const Case one(kind, draws);
    const auto want = one.by_manual(of.how, {}, SumsBegin::with_out);
    on_every_target([&](std::mt19937&) { ASSERT_EQ(one.by(of.twin, SumsBegin::with_out), want) << kind; });
  }
}

/// The test above tells each misreading from what is right.
TEST_P(Bfloat16Instructions, MisreadingsWouldBeSeen) {
  const Instruction& of = GetParam();
  const auto differs = [&](Reading reading) {
    std::mt19937 random(7);
    for (index i = 0; i < 20; ++i)
      for (int kind = 0; kind < kinds; ++kind) {
        const Case one(kind, random);
        if (one.by(of.twin, SumsBegin::with_out) != one.by_manual(of.how, reading, SumsBegin::with_out)) return true;
      }
    return false;
  };
  EXPECT_FALSE(differs({}));
  EXPECT_TRUE(differs({.keeps_subnormals = true}));
  if (of.how == PairProducts::dots)
    EXPECT_TRUE(differs({.swaps_pairs = true}));
  else
    EXPECT_TRUE(differs({.one_chain = true}));
}

/// 2^-126 minus a little, by which it may round up to the smallest normal number again: flushed only if it does not.
TEST_P(Bfloat16Instructions, FlushWhatIsSubnormalAfterItIsRounded) {
  const Instruction& of = GetParam();
  const auto code = [](float x) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16); };
  const auto minus = [&](MultiplyPairs& multiply, float little) {
    // The second of a pair comes first in dots; even products have a chain of their own in tiles.
    std::array<std::uint16_t, 32> left{};
    left[1] = left[0] = code(0x1p-63f), left[3] = left[2] = code(little);
    std::vector<std::uint32_t> pairs(16 * n);
    pairs[0] = code(0x1p-63f), pairs[n] = code(-0x1p-75f);
    PanelMemory out(n);
    multiply({left.data(), 32, 2}, 1, pairs.data(), 32, SumsBegin::at_zero, out.data());
    return out[0];
  };
  for (MultiplyPairs* multiply : {&of.itself, &of.twin}) {
    if (multiply == &of.itself && !has_instruction(of.how)) continue;
    EXPECT_EQ(minus(*multiply, 0x1.8p-76f), 0) << "3/4 of 2^-150 below";
    EXPECT_EQ(minus(*multiply, 0x1.8p-77f), 0x1p-126f) << "3/8 of it below";
    EXPECT_EQ(minus(*multiply, 0x1p-77f), 0x1p-126f);
  }
  EXPECT_EQ(minus(of.twin, 0), 0x1p-126f);
}

INSTANTIATE_TEST_SUITE_P(
    Each, Bfloat16Instructions,
    testing::Values(Instruction{"vdpbf16ps", PairProducts::dots, multiply_by_dots, multiply_as_dots},
                    Instruction{"tdpbf16ps", PairProducts::tiles, multiply_by_tiles, multiply_as_tiles}),
    by_parameter);

}  // namespace
}  // namespace attestone
