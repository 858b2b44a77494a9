// SPDX-License-Identifier: Apache-2.0
// Holds the models of matrix units against the tensor cores of a device: random tiles, every bit (docs/matrix_units.md).
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <random>
#include <span>
#include <string>

#include "instructions.hpp"
#include "reference/bits.hpp"
#include "reference/tensor_cores/matrix_unit.hpp"

namespace {

using namespace attestone;

/// What is drawn: codes of any kind, numbers near each other, or wide apart; sums that cancel; an accumulator to fit.
class TileDraw {
 public:
  TileDraw(const Instruction& instruction, std::uint64_t seed)
      : random_(seed),
        as_asked_(instruction),
        operand_(dtype(instruction.operands == "tf32" ? "f32" : std::string(instruction.operands))),
        accumulator_(dtype(instruction.accumulator_bytes == 2 ? "f16" : "f32")) {}

  void tile(Tiles& tiles) {
    const int depth = as_asked_.depth;
    const int kind = below(8), spread = kind == 5 ? 12 : kind >= 6 && operand_.storage_bits() > 8 && operand_.codes->facts().min_exponent < -100 ? 90 : 3;
    begin_ = kind == 0 ? any_code : number;
    begin_zero_ = kind == 6 ? 3 : 16;
    const int of_a = below(9) - 4, of_b = below(9) - 4;
    const std::size_t a = tiles.a.size(), b = tiles.b.size();
    matrix(tiles.a, as_asked_.rows * depth, of_a, spread);
    matrix(tiles.b, as_asked_.columns * depth, of_b, spread);
    if (kind == 3) cancel(tiles, a, b);
    const int of_c = kind == 6 ? below(200) - 100 : below(3) == 0 ? below(41) - 20 : of_a + of_b + below(5);
    for (int i = 0; i < as_asked_.rows * as_asked_.columns; ++i)
      append(tiles.c, kind == 0 ? any(accumulator_) : kind == 1 || kind == 7 ? 0 : near(accumulator_, of_c, spread),
             as_asked_.accumulator_bytes);
  }

 private:
  enum Begin { any_code, number };

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::uint64_t any(const DType& format) { return random_() >> (64 - format.storage_bits()); }
  std::uint64_t near(const DType& format, int exponent, int spread) {
    if (below(begin_zero_) == 0) return 0;
    const double size = std::ldexp(1 + static_cast<double>(random_() >> 12) * 0x1p-52, exponent + below(2 * spread) - spread);
    return format.encode(below(2) ? size : -size);
  }

  void matrix(std::vector<std::uint8_t>& codes, int count, int exponent, int spread) {
    for (int i = 0; i < count; ++i)
      append(codes, begin_ == any_code && below(4) ? any(operand_) : near(operand_, exponent, spread),
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
  Begin begin_ = number;
  int begin_zero_ = 16;
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

/// How many elements a model has otherwise than the device, and the first of them.
struct Difference {
  std::int64_t elements = 0, differ = 0;
  std::string first;
};

/// The codes of a matrix of one tile as the unit takes them.
std::vector<double> operands(const Instruction& instruction, const MatrixUnit& unit, const std::vector<std::uint8_t>& codes,
                             int tile, int rows) {
  const DType& format = dtype(instruction.operands == "tf32" ? "f32" : std::string(instruction.operands));
  std::vector<double> values;
  for (int i = 0; i < rows * instruction.depth; ++i) {
    const std::uint64_t code = read_code(reinterpret_cast<const std::byte*>(codes.data()),
                                         std::int64_t{tile} * rows * instruction.depth + i, 8 * instruction.operand_bytes);
    values.push_back(unit.operand == instruction.operands ? unit.operand_of(code) : format.decode(code));
  }
  return values;
}

/// ptxas for sm_90 makes of an mma of 8-bit floats two of f16, and adds C.
double emulated(const std::vector<double>& a, const std::vector<double>& b, std::size_t row, std::size_t column, double c, bool wide, const MatrixUnit& f16) {
  double sum = 0;
  for (int half = 0; half < 2; ++half) {
    std::vector<double> x, y;
    for (std::size_t k = 0; k < 32; ++k) if (static_cast<int>(k % 4 / 2) == half) x.push_back(a[row * 32 + k]), y.push_back(b[column * 32 + k]);
    sum = f16.dot(x, y, sum);
  }
  if (std::isnan(sum + c)) return std::bit_cast<double>(~std::uint64_t{0} >> 1);
  return wide ? static_cast<double>(static_cast<float>(sum) + static_cast<float>(c)) : dtype("f16").round(sum + c);
}

Difference difference(const Instruction& instruction, const MatrixUnit& unit, const Tiles& tiles,
                      const std::vector<std::uint8_t>& d, int count) {
  Difference all;
  const auto depth = static_cast<std::size_t>(instruction.depth);
  const int bits = 8 * instruction.accumulator_bytes;
  const DType& format = unit.accumulator();
#pragma omp parallel for schedule(dynamic, 64)
  for (int tile = 0; tile < count; ++tile) {
    const std::vector<double> a = operands(instruction, unit, tiles.a, tile, instruction.rows);
    const std::vector<double> b = operands(instruction, unit, tiles.b, tile, instruction.columns);
    Difference own;
    for (int row = 0; row < instruction.rows; ++row)
      for (int column = 0; column < instruction.columns; ++column, ++own.elements) {
        const std::int64_t at = (std::int64_t{tile} * instruction.rows + row) * instruction.columns + column;
        const std::uint64_t c = read_code(reinterpret_cast<const std::byte*>(tiles.c.data()), at, bits);
        const std::uint64_t has = read_code(reinterpret_cast<const std::byte*>(d.data()), at, bits);
        const std::uint64_t wants =
            format.encode(unit.name == "mma" ? emulated(a, b, static_cast<std::size_t>(row), static_cast<std::size_t>(column), format.decode(c), unit.keeps != Keeps::f16_nearest, matrix_unit(unit.keeps == Keeps::f16_nearest ? "hopper.f16.f16" : "hopper.f16.f32")) : unit.dot(std::span(a).subspan(static_cast<std::size_t>(row) * depth, depth),
                                   std::span(b).subspan(static_cast<std::size_t>(column) * depth, depth), format.decode(c)));
        if (has == wants) continue;
        if (own.differ++ == 0)
          own.first = fmt::format("tile {} row {} column {}: device {:#x} ({:a}), model {:#x} ({:a}), accumulator {:a}",
                                  tile, row, column, has, format.decode(has), wants, format.decode(wants), format.decode(c));
      }
#pragma omp critical
    {
      if (all.differ == 0) all.first = own.first;
      all.differ += own.differ, all.elements += own.elements;
    }
  }
  return all;
}

/// Whether the unit could be this instruction: 8-bit floats are f16 as well.
bool may_be(const Instruction& instruction, const MatrixUnit& unit) {
  const bool of_bytes = instruction.operand_bytes == 1 && unit.operand == "f16";
  return unit.scale.empty() && unit.accumulator().storage_bits() == 8 * instruction.accumulator_bytes &&
         (unit.operand == instruction.operands || of_bytes) && instruction.depth % unit.group == 0;
}

/// Prints a line for each model that could be the instruction. Whether one is.
bool is_known(const Instruction& instruction, int count, std::uint64_t seed) {
  const Tiles tiles = drawn(instruction, count, seed);
  const std::vector<std::uint8_t> d = multiplied(instruction, tiles, count);
  bool known = false;
  std::vector<MatrixUnit> units = matrix_units();
  for (const char* of : {"e4m3", "e5m2"}) for (Keeps keeps : {Keeps::f32_cut, Keeps::f16_nearest}) units.push_back({"mma", of, 32, 25, GroupSum::fused, keeps});
  for (const MatrixUnit& unit : units) {
    if (!may_be(instruction, unit) || unit.name.find("hopper") != 0 && unit.name.find("mma") != 0 || (unit.name == "mma") != (instruction.name[0] == 'm' && instruction.operand_bytes == 1) || unit.operand != instruction.operands) continue;
    const Difference one = difference(instruction, unit, tiles, d, count);
    known = known || one.differ == 0;
    fmt::print("{:34} {:20} {} of {} elements differ{}{}\n", instruction.name, unit.name, one.differ, one.elements,
               one.differ ? "; " : "", one.first);
    std::fflush(stdout);
  }
  return known;
}

}  // namespace

/// compare [TILES [SEED [WORD]]]: so many tiles of each instruction whose name has the word.
int main(int argc, char** argv) try {
  const int tiles = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::string word = argc > 3 ? argv[3] : "";
  bool all_known = true;
  for (const Instruction& instruction : instructions())
    if (instruction.name.find(word) != std::string_view::npos)
      all_known = is_known(instruction, tiles, seed) && all_known;
  return all_known ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
