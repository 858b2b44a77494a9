// SPDX-License-Identifier: Apache-2.0
// Matrix units against a second implementation in integers, and against what is published of single devices.
#include "reference/matrix_units/matrix_unit.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/files/safetensors.hpp"
#include "reference/tensor/bits.hpp"
#include "reference/user_error.hpp"
#include "tests/effort.hpp"
#include "tests/python_oracle.hpp"

namespace attestone {
namespace {

/// The codes of one tensor of a file, a whole number of bytes each: [tiles, rows, columns].
class Codes {
 public:
  explicit Codes(const StoredTensor& tensor)
      : tensor_(tensor),
        bits_(8 * static_cast<int>(tensor.bytes.size()) /
              static_cast<int>(tensor.shape[0] * tensor.shape[1] * tensor.shape[2])) {}

  index tiles() const { return tensor_.shape[0]; }
  index rows() const { return tensor_.shape[1]; }
  index columns() const { return tensor_.shape[2]; }
  std::uint64_t operator()(index tile, index row, index column) const {
    return read_code(tensor_.bytes.data(), (tile * rows() + row) * columns() + column, bits_);
  }

 private:
  const StoredTensor& tensor_;
  int bits_;
};

/// Random tiles of one unit, and what they must become.
class Tiles {
 public:
  Tiles(const MatrixUnit& unit, const Safetensors& file)
      : unit_(unit), a_(tensor(file, "a")), b_(tensor(file, "b")), c_(tensor(file, "c")), d_(tensor(file, "d")) {
    if (unit.scale_block == 0) return;
    scales_a_.emplace(tensor(file, "scale_a"));
    scales_b_.emplace(tensor(file, "scale_b"));
  }

  void expect_agreement() const {
    for (index tile = 0; tile < d_.tiles(); ++tile)
      for (index row = 0; row < d_.rows(); ++row)
        for (index column = 0; column < d_.columns(); ++column) {
          const double got = element(tile, row, column);
          const std::uint64_t want = d_(tile, row, column);
          if (any_nan_will_do() && std::isnan(got) && std::isnan(unit_.accumulator().decode(want))) continue;
          ASSERT_EQ(unit_.accumulator().encode(got), want)
              << unit_.name << " tile " << tile << " row " << row << " column " << column;
        }
  }
  index tiles() const { return d_.tiles(); }

 private:
  const StoredTensor& tensor(const Safetensors& file, const char* name) const {
    return file.tensor(fmt::format("{}.{}", unit_.name, name));
  }

  /// Which NaN AMD's units answer is not published.
  bool any_nan_will_do() const { return unit_.sum == GroupSum::floored || unit_.sum == GroupSum::halves; }

  double element(index tile, index row, index column) const {
    std::vector<double> a, b, scales_a, scales_b;
    for (index k = 0; k < a_.columns(); ++k) {
      a.push_back(unit_.operand_of(a_(tile, row, k)));
      b.push_back(unit_.operand_of(b_(tile, k, column)));
    }
    for (index block = 0; scales_a_ && block < scales_a_->columns(); ++block) {
      scales_a.push_back(unit_.scale_of((*scales_a_)(tile, row, block)));
      scales_b.push_back(unit_.scale_of((*scales_b_)(tile, block, column)));
    }
    return unit_.dot(a, b, unit_.accumulator().decode(c_(tile, row, column)), scales_a, scales_b);
  }

  const MatrixUnit& unit_;
  Codes a_, b_, c_, d_;
  std::optional<Codes> scales_a_, scales_b_;
};

TEST(MatrixUnits, AgreeWithIntegerArithmetic) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package ml_dtypes";
  constexpr index at_once = 20'000;
  const index wanted = effort(1'000, 100'000, 1'000'000);
  for (index done = 0; done < wanted; done += at_once) {
    const ScratchFolder folder;
    ask_oracle("reference/matrix_units/matrix_oracle.py", folder,
               fmt::format("{} {}", std::min(at_once, wanted), done));
    const Safetensors file = read_safetensors(folder / "tiles.safetensors");
    for (const MatrixUnit& unit : matrix_units()) {
      const Tiles tiles(unit, file);
      ASSERT_EQ(tiles.tiles(), std::min(at_once, wanted));
      tiles.expect_agreement();
    }
  }
}

/// A B + C with A = B = 0, for `groups` groups.
double nothing_added_to(const MatrixUnit& unit, double c, std::size_t groups) {
  const std::vector<double> zeros(groups * static_cast<std::size_t>(unit.group));
  const std::vector<double> ones(unit.scale_block ? zeros.size() / static_cast<std::size_t>(unit.scale_block) : 0, 1);
  return unit.dot(zeros, zeros, c, ones, ones);
}

// SageAttention2 (arXiv 2411.10958), section 3.4: D comes back with its low ten bits cleared.
TEST(MatrixUnits, OfEightBitsKeepThirteenOfAnAccumulator) {
  const double c = 1 + 0x1p-13 + 0x1p-14 + 0x1p-23;
  for (const char* name : {"ada.e4m3.f32", "hopper.e4m3.f32", "ada.e5m2.f32", "hopper.e5m2.f32"})
    EXPECT_EQ(nothing_added_to(matrix_unit(name), c, 2), 1 + 0x1p-13) << name;
  for (const char* name : {"blackwell.e4m3.f32", "hopper.f16.f32", "cdna3.e4m3fnuz.f32"})
    EXPECT_EQ(nothing_added_to(matrix_unit(name), c, 2), c) << name;
}

// As an H200 answered: a zero times a large number, and an accumulator of 0, do not coarsen what is added to them.
TEST(MatrixUnits, OfHopperLeaveZerosOut) {
  struct Case {
    std::vector<double> a, b;
    double c;
    std::uint64_t d;
  };
  const Case cases[] = {
      {{0, -0x1.734p-88, 0x1.57cp-3, 0, 0x1.cd8p+0, -0x1.6ap+59, 0x1.d24p+35, 0x1.5c4p+97},
       {-0x1.014p-15, -0x1.a2cp-58, 0x1.6e8p-51, 0x1.8p+121, 0x1.5fp-118, 0x1.cd8p-112, 0x1.518p-71, 0x1.688p-118},
       -0x1.44c02cp-13,
       0xb9216adf},
      {{0, 0, 0, 0x1.9c4p-26, -0x1.a7cp-86, 0x1.ad4p-90, 0, 0},
       {-0x1.754p-26, 0x1.7ecp+59, 0x1.7fp+85, 0, 0x1.28cp-46, -0x1.f78p-62, -0x1.2ep+22, 0},
       0,
       0x8003d668},
      {{-0x1.9bcp-88, 0, 0, 0x1.e78p-70, 0x1.598p-61, 0x1.174p-75, -0x1.eacp-66, 0},
       {-0x1.db4p-51, 0x1.50cp+87, 0, 0, 0x1.eb4p-77, 0, 0x1.02p-67, 0},
       0,
       0x8001cdeb},
  };
  for (const auto& [a, b, c, d] : cases)
    EXPECT_EQ(dtype("f32").encode(matrix_unit("hopper.tf32.f32").dot(a, b, c)), d) << std::hexfloat << c;
  EXPECT_EQ(nothing_added_to(matrix_unit("hopper.f16.f32"), 0, 2), 0);
}

// M. Fasi et al., "Numerical Behavior of NVIDIA Tensor Cores" (PeerJ Comput. Sci. 7, 2021): so many bits beside the
// largest addend count, and what is beyond is cut off.
TEST(MatrixUnits, KeepTheBitsThatTheirGenerationHas) {
  struct Least {
    const char* name;
    int bits;
  };
  for (const auto& [name, bits] : {Least{"volta.f16.f32", 23}, Least{"turing.f16.f32", 24}, Least{"ampere.f16.f32", 24},
                                   Least{"hopper.f16.f32", 25}}) {
    const MatrixUnit& unit = matrix_unit(name);
    std::vector<double> a(static_cast<std::size_t>(unit.group)), b(a.size());
    // 1 and, from two products, what must add up to one unit of the last place that f32 has of 1; then 1 is taken away.
    const auto left_of = [&](int place) {
      a.assign(a.size(), 0), b.assign(b.size(), 0);
      a[0] = 1, b[0] = 1;
      a[1] = a[2] = std::ldexp(1.0, -12), b[1] = b[2] = std::ldexp(1.0, 12 - place);
      a[3] = -1, b[3] = 1;
      return unit.dot(a, b, 0);
    };
    EXPECT_EQ(left_of(bits), std::ldexp(1.0, 1 - bits)) << name;
    EXPECT_EQ(left_of(bits + 1), 0) << name;
  }
}

TEST(MatrixUnits, AreFoundByName) {
  EXPECT_EQ(matrix_unit("hopper.e4m3.f32").fraction_bits, 13);
  EXPECT_THROW(matrix_unit("hoper.e4m3.f32"), UserError);
}

}  // namespace
}  // namespace attestone
