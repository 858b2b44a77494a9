// SPDX-License-Identifier: Apache-2.0
// Holds the models of matrix units against the tensor cores of a device: random tiles, every bit
// (docs/matrix_units.md).
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <random>
#include <span>
#include <string>

#include "instructions.hpp"
#include "reference/matrix_units/matrix_unit.hpp"
#include "reference/tensor/bits.hpp"

namespace {

using namespace attestone;

/// What is drawn: codes of any kind, numbers near each other, or wide apart; sums that cancel; zeros beside large
/// numbers; an accumulator to fit.
class TileDraw {
 public:
  TileDraw(const Instruction& instruction, std::uint64_t seed)
      : random_(seed),
        as_asked_(instruction),
        operand_(dtype(instruction.operands == "tf32" ? "f32" : std::string(instruction.operands))),
        accumulator_(dtype(instruction.accumulator_bytes == 2 ? "f16" : "f32")) {}

  void tile(Tiles& tiles) {
    constexpr Kind kinds[] = {any_code, no_accumulator, near, near, cancelling, wide, zeros, tiny};
    kind_ = kinds[below(8)];
    const int depth = as_asked_.depth, of_a = below(9) - 4, of_b = below(9) - 4;
    const std::size_t a = tiles.a.size(), b = tiles.b.size();
    matrix(tiles.a, as_asked_.rows * depth, of_a);
    matrix(tiles.b, as_asked_.columns * depth, of_b);
    if (kind_ == cancelling) cancel(tiles, a, b);
    const bool nothing = kind_ == no_accumulator || kind_ == tiny;
    const int of_c = kind_ == zeros ? below(200) - 100 : below(3) == 0 ? below(41) - 20 : of_a + of_b + below(5);
    for (int i = 0; i < as_asked_.rows * as_asked_.columns; ++i)
      append(tiles.c,
             nothing             ? 0
             : kind_ == any_code ? any(accumulator_)
                                 : near_to(accumulator_, of_c),
             as_asked_.accumulator_bytes);
  }

 private:
  enum Kind { any_code, no_accumulator, near, cancelling, wide, zeros, tiny };

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::uint64_t any(const DType& format) { return random_() >> (64 - format.storage_bits()); }
  /// How many powers of two numbers are from the middle, at most.
  int spread() const {
    const bool is_wide_format = operand_.codes->facts().min_exponent < -100;
    return (kind_ == zeros || kind_ == tiny) && is_wide_format ? 90 : kind_ == wide ? 12 : 3;
  }
  /// A number of this exponent or near it, of any sign; or 0.
  std::uint64_t near_to(const DType& format, int exponent) {
    if (below(kind_ == zeros ? 3 : 16) == 0) return 0;
    const double significand = 1 + static_cast<double>(random_() >> 12) * 0x1p-52;
    const double size = std::ldexp(significand, exponent + below(2 * spread()) - spread());
    return format.encode(below(2) ? size : -size);
  }

  void matrix(std::vector<std::uint8_t>& codes, int count, int exponent) {
    for (int i = 0; i < count; ++i)
      append(codes, kind_ == any_code && below(4) ? any(operand_) : near_to(operand_, exponent),
             as_asked_.operand_bytes);
  }

  /// Every second product of a row is the one before it with another sign, and a little more.
  void cancel(Tiles& tiles, std::size_t a, std::size_t b) {
    const int bytes = as_asked_.operand_bytes, depth = as_asked_.depth;
    const auto repeat = [&](std::vector<std::uint8_t>& codes, std::size_t begin, int rows, std::uint8_t sign) {
      for (int row = 0; row < rows; ++row)
        for (int k = 0; k + 1 < depth; k += 2) {
          std::uint8_t* at = codes.data() + begin + static_cast<std::size_t>((row * depth + k) * bytes);
          std::memcpy(at + bytes, at, static_cast<std::size_t>(bytes));
          at[2 * bytes - 1] ^= sign;
        }
    };
    repeat(tiles.a, a, as_asked_.rows, 0x80);
    repeat(tiles.b, b, as_asked_.columns, 0);
    tiles.a[a + static_cast<std::size_t>(below(as_asked_.rows * depth) * bytes)] ^= 1;
  }

  static void append(std::vector<std::uint8_t>& codes, std::uint64_t code, int bytes) {
    for (int i = 0; i < bytes; ++i) codes.push_back(static_cast<std::uint8_t>(code >> (8 * i)));
  }

  std::mt19937_64 random_;
  const Instruction& as_asked_;
  const DType &operand_, &accumulator_;
  Kind kind_ = near;
};

Tiles drawn(const Instruction& instruction, int count, std::uint64_t seed) {
  std::vector<Tiles> single(static_cast<std::size_t>(count));
#pragma omp parallel for
  for (int tile = 0; tile < count; ++tile)
    TileDraw(instruction, seed + static_cast<std::uint64_t>(tile)).tile(single[static_cast<std::size_t>(tile)]);
  Tiles all;
  for (const Tiles& one : single) {
    all.a.insert(all.a.end(), one.a.begin(), one.a.end());
    all.b.insert(all.b.end(), one.b.begin(), one.b.end());
    all.c.insert(all.c.end(), one.c.begin(), one.c.end());
  }
  return all;
}

/// What an instruction is taken for.
struct Model {
  std::string name;
  std::function<double(std::span<const double> a, std::span<const double> b, double c)> dot;
};

/// For sm_90 an mma of 8-bit floats becomes two of f16, of the first and of the last two of each four codes; C is added
/// to their sum.
double two_of_f16(const MatrixUnit& f16, std::span<const double> a, std::span<const double> b, double c) {
  double sum = 0;
  for (const std::size_t first : {0, 2}) {
    std::vector<double> x, y;
    for (std::size_t k = first; k < a.size(); k += 4) {
      x.insert(x.end(), {a[k], a[k + 1]});
      y.insert(y.end(), {b[k], b[k + 1]});
    }
    sum = f16.dot(x, y, sum);
  }
  if (std::isnan(sum + c)) return std::bit_cast<double>(~std::uint64_t{0} >> 1);  // as the device writes it
  return f16.accumulator().round(f16.accumulator() == dtype("f32") ? double{float(sum) + float(c)} : sum + c);
}

Model model_of(const Instruction& instruction) {
  const std::string sum = instruction.accumulator_bytes == 2 ? "f16" : "f32";
  if (instruction.operand_bytes == 1 && instruction.name.starts_with("mma")) {
    const MatrixUnit& f16 = matrix_unit("hopper.f16." + sum);
    return {"two of " + std::string(f16.name), [&f16](auto a, auto b, double c) { return two_of_f16(f16, a, b, c); }};
  }
  const MatrixUnit& unit = matrix_unit(fmt::format("hopper.{}.{}", instruction.operands, sum));
  return {std::string(unit.name), [&unit](auto a, auto b, double c) { return unit.dot(a, b, c); }};
}

/// How many elements a model has otherwise than the device, and the first of them.
struct Difference {
  std::int64_t elements = 0, differ = 0;
  std::string first;
};

/// The numbers of a matrix of one tile; tf32 is f32 of which the unit cuts off the last bits.
std::vector<double> operands(const Instruction& instruction, const std::vector<std::uint8_t>& codes, int tile,
                             int rows) {
  std::vector<double> values;
  for (int i = 0; i < rows * instruction.depth; ++i) {
    const std::uint64_t code =
        read_code(reinterpret_cast<const std::byte*>(codes.data()), std::int64_t{tile} * rows * instruction.depth + i,
                  8 * instruction.operand_bytes);
    values.push_back(instruction.operands == "tf32" ? matrix_unit("hopper.tf32.f32").operand_of(code)
                                                    : dtype(std::string(instruction.operands)).decode(code));
  }
  return values;
}

Difference difference_of_tile(const Instruction& instruction, const Model& model, const Tiles& tiles,
                              const std::vector<std::uint8_t>& d, int tile) {
  const auto depth = static_cast<std::size_t>(instruction.depth);
  const int bits = 8 * instruction.accumulator_bytes;
  const DType& format = dtype(bits == 16 ? "f16" : "f32");
  const std::vector<double> a = operands(instruction, tiles.a, tile, instruction.rows);
  const std::vector<double> b = operands(instruction, tiles.b, tile, instruction.columns);
  const auto row_of = [&](const std::vector<double>& matrix, int row) {
    return std::span(matrix).subspan(static_cast<std::size_t>(row) * depth, depth);
  };
  Difference own;
  for (int row = 0; row < instruction.rows; ++row)
    for (int column = 0; column < instruction.columns; ++column, ++own.elements) {
      const std::int64_t at = (std::int64_t{tile} * instruction.rows + row) * instruction.columns + column;
      const double c = format.decode(read_code(reinterpret_cast<const std::byte*>(tiles.c.data()), at, bits));
      const std::uint64_t has = read_code(reinterpret_cast<const std::byte*>(d.data()), at, bits);
      const std::uint64_t wants = format.encode(model.dot(row_of(a, row), row_of(b, column), c));
      if (has == wants || own.differ++ > 0) continue;
      own.first = fmt::format("; tile {} row {} column {}: the device has {:a}, the model {:a}, with C = {:a}", tile,
                              row, column, format.decode(has), format.decode(wants), c);
    }
  return own;
}

/// Prints a line. Whether all bits are the same.
bool agrees(const Instruction& instruction, int count, std::uint64_t seed) {
  const Tiles tiles = drawn(instruction, count, seed);
  const std::vector<std::uint8_t> d = multiplied(instruction, tiles, count);
  const Model model = model_of(instruction);
  Difference all;
#pragma omp parallel for schedule(dynamic, 64)
  for (int tile = 0; tile < count; ++tile) {
    const Difference own = difference_of_tile(instruction, model, tiles, d, tile);
#pragma omp critical
    {
      if (all.differ == 0) all.first = own.first;
      all.differ += own.differ, all.elements += own.elements;
    }
  }
  fmt::print("{:34} {:22} {} of {} elements differ{}\n", instruction.name, model.name, all.differ, all.elements,
             all.first);
  return all.differ == 0;
}

}  // namespace

/// matrix_units [TILES [SEED]]: so many tiles of each instruction.
int main(int argc, char** argv) try {
  const int tiles = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  bool all_agree = true;
  for (const Instruction& instruction : instructions()) all_agree = agrees(instruction, tiles, seed) && all_agree;
  return all_agree ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
