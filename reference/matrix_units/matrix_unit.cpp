// SPDX-License-Identifier: Apache-2.0
// The table of generations, and their sums of one group.
#include "reference/matrix_units/matrix_unit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "reference/matrix_units/aligned_sum.hpp"
#include "reference/require.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_terms = 65;

double all_ones() { return std::bit_cast<double>(~std::uint64_t{0} >> 1); }

/// The products of one group, and what is added to them.
struct Group {
  std::span<const double> a, b;
  double c;
  std::span<const double> scales_a = {}, scales_b = {};
};

/// The terms of a sum.
class Terms {
 public:
  void add(double value, int exponent) { terms_[count_++] = {value, exponent}; }
  AlignedSum sum(int fraction_bits) const { return aligned_sum(std::span(terms_).first(count_), fraction_bits); }

 private:
  std::array<Term, most_terms> terms_;
  std::size_t count_ = 0;
};

class Sum {
 public:
  Sum(const MatrixUnit& unit, const Group& group)
      : unit_(unit),
        group_(group),
        least_(dtype(unit.operand == "tf32" ? "f32" : unit.operand).codes->facts().min_exponent),
        least_of_c_(unit.accumulator().codes->facts().min_exponent) {}

  /// NaN or an infinity, if the sum is none of finite numbers.
  std::optional<double> special() const {
    double sum = std::isfinite(group_.c) ? 0 : group_.c, overflow = 0;
    for (std::size_t i = 0; i < group_.a.size(); ++i) {
      const double one = product(i);
      if (!std::isfinite(one)) sum += one;
      if (std::fabs(one) >= 0x1p128) overflow += std::copysign(infinity, one);
    }
    for (const std::span<const double>& scales : {group_.scales_a, group_.scales_b})
      for (const double scale : scales) sum += std::isnan(scale) ? scale : 0;
    if (sum == 0 && is_floored()) sum = overflow;  // AMD takes a product beyond f32 for infinite
    if (std::isnan(sum)) return all_ones();
    return std::isinf(sum) ? std::optional(sum) : std::nullopt;
  }

  double of_finite() const {
    switch (unit_.sum) {
      case GroupSum::fused:
        return fused();
      case GroupSum::by_sixteen:
        return by_sixteen();
      case GroupSum::floored:
        return floored(products(0, 1).sum(unit_.fraction_bits), false);
      case GroupSum::halves:
        break;
    }
    return halves();
  }

 private:
  bool is_floored() const { return unit_.sum == GroupSum::floored || unit_.sum == GroupSum::halves; }

  double product(std::size_t i) const { return group_.a[i] * group_.b[i]; }
  int exponent(std::size_t i) const { return exponent_of(group_.a[i], least_) + exponent_of(group_.b[i], least_); }
  int exponent_of_c() const { return exponent_of(group_.c, least_of_c_); }

  /// Each `step`th from `first` on.
  Terms products(std::size_t first, std::size_t step) const {
    Terms terms;
    for (std::size_t i = first; i < group_.a.size(); i += step) terms.add(product(i), exponent(i));
    return terms;
  }

  double fused() const {
    int scale = 0;  // of powers of two
    for (const std::span<const double>& scales : {group_.scales_a, group_.scales_b})
      for (const double one : scales) scale += std::ilogb(one);
    Terms terms;
    for (std::size_t i = 0; i < group_.a.size(); ++i)
      if (product(i) != 0) terms.add(std::ldexp(product(i), scale), exponent(i) + scale);
    if (group_.c != 0) terms.add(group_.c, exponent_of_c());
    return terms.sum(unit_.fraction_bits).value;
  }

  double by_sixteen() const {
    constexpr std::size_t together = 16;
    const int least = dtype(unit_.scale).codes->facts().min_exponent;
    Terms terms;
    for (std::size_t first = 0; first < group_.a.size(); first += together) {
      double dot = 0;
      for (std::size_t i = first; i < first + together; ++i) dot += product(i);
      const std::size_t block = first / static_cast<std::size_t>(unit_.scale_block);
      const double of_a = group_.scales_a[block], of_b = group_.scales_b[block];
      terms.add(dot * of_a * of_b, exponent_of(of_a, least) + exponent_of(of_b, least));
    }
    terms.add(group_.c, exponent_of_c());
    return terms.sum(unit_.fraction_bits).value;
  }

  /// Adds two addends on one scale, the products and the sum so far: neither is rounded, both are floored.
  double floored(const AlignedSum& of_products, bool drops_small) const {
    constexpr int bits_of_products = 31, bits_of_c = 24, dropped_below = 25;
    const int of_c = exponent_of_c(), largest = std::max(of_products.exponent, of_c);
    const double products = floor_at(of_products.value, largest, bits_of_products);
    if (drops_small && of_c < largest - dropped_below) return products;
    return products + floor_at(group_.c, largest, bits_of_c);
  }

  double halves() const {
    const AlignedSum even = products(0, 2).sum(unit_.fraction_bits), odd = products(1, 2).sum(unit_.fraction_bits);
    const int largest = std::max(even.exponent, odd.exponent);
    const double both =
        floor_at(even.value, largest, unit_.fraction_bits) + floor_at(odd.value, largest, unit_.fraction_bits);
    return floored({both, largest}, true);
  }

  const MatrixUnit& unit_;
  const Group& group_;
  int least_, least_of_c_;  ///< exponents of normal operands, and accumulators
};

double kept(double sum, Keeps keeps) {
  switch (keeps) {
    case Keeps::f32_cut:
      return cut_as_f32(sum, 23);
    case Keeps::f32_13_cut:
      return cut_as_f32(sum, 13);
    case Keeps::f32_nearest:
      return static_cast<float>(sum);
    case Keeps::f16_nearest:
      break;
  }
  return dtype("f16").round(sum) + 0.0;  // no -0
}

}  // namespace

const DType& MatrixUnit::accumulator() const { return dtype(keeps == Keeps::f16_nearest ? "f16" : "f32"); }

double MatrixUnit::operand_of(std::uint64_t code) const {
  constexpr std::uint64_t cut_by_tf32 = (1 << 13) - 1;
  return operand == "tf32" ? dtype("f32").decode(code & ~cut_by_tf32) : dtype(operand).decode(code);
}

double MatrixUnit::scale_of(std::uint64_t code) const { return std::fabs(dtype(scale).decode(code)); }

double MatrixUnit::dot(std::span<const double> a, std::span<const double> b, double c, std::span<const double> scales_a,
                       std::span<const double> scales_b) const {
  const auto at_once = static_cast<std::size_t>(group);
  const std::size_t scales = scale_block ? at_once / static_cast<std::size_t>(scale_block) : 0;
  require(a.size() == b.size() && a.size() % at_once == 0, "a product is made of whole groups");
  require(scales_a.size() == a.size() / at_once * scales && scales_b.size() == scales_a.size(), "blocks have scales");
  for (std::size_t first = 0, block = 0; first < a.size(); first += at_once, block += scales) {
    const Group one{a.subspan(first, at_once), b.subspan(first, at_once), c, scales_a.subspan(block, scales),
                    scales_b.subspan(block, scales)};
    const Sum of_group(*this, one);
    const std::optional<double> special = of_group.special();
    c = special ? *special : kept(of_group.of_finite(), keeps);
  }
  return c;
}

const std::vector<MatrixUnit>& matrix_units() {
  static const std::vector<MatrixUnit> all{
      {"volta.f16.f32", "f16", 4, 23},
      {"volta.f16.f16", "f16", 4, 23, GroupSum::fused, Keeps::f16_nearest},
      {"turing.f16.f32", "f16", 8, 24},
      {"turing.f16.f16", "f16", 8, 24, GroupSum::fused, Keeps::f16_nearest},
      {"ampere.f16.f32", "f16", 8, 24},
      {"ampere.f16.f16", "f16", 8, 24, GroupSum::fused, Keeps::f16_nearest},
      {"ampere.bf16.f32", "bf16", 8, 24},
      {"ampere.tf32.f32", "tf32", 4, 24},
      {"ada.e4m3.f32", "e4m3", 16, 13, GroupSum::fused, Keeps::f32_13_cut},
      {"ada.e5m2.f32", "e5m2", 16, 13, GroupSum::fused, Keeps::f32_13_cut},
      {"ada.e4m3.f16", "e4m3", 16, 13, GroupSum::fused, Keeps::f16_nearest},
      {"ada.e5m2.f16", "e5m2", 16, 13, GroupSum::fused, Keeps::f16_nearest},
      {"hopper.f16.f32", "f16", 16, 25},
      {"hopper.f16.f16", "f16", 16, 25, GroupSum::fused, Keeps::f16_nearest},
      {"hopper.bf16.f32", "bf16", 16, 25},
      {"hopper.tf32.f32", "tf32", 8, 25},
      {"hopper.e4m3.f32", "e4m3", 32, 13, GroupSum::fused, Keeps::f32_13_cut},
      {"hopper.e5m2.f32", "e5m2", 32, 13, GroupSum::fused, Keeps::f32_13_cut},
      {"hopper.e4m3.f16", "e4m3", 32, 13, GroupSum::fused, Keeps::f16_nearest},
      {"hopper.e5m2.f16", "e5m2", 32, 13, GroupSum::fused, Keeps::f16_nearest},
      {"blackwell.e4m3.f32", "e4m3", 32, 25},
      {"blackwell.e5m2.f32", "e5m2", 32, 25},
      {"blackwell.mxfp8.f32", "e4m3", 32, 25, GroupSum::fused, Keeps::f32_cut, "e8m0", 32},
      {"blackwell.mxfp4.f32", "e2m1", 64, 35, GroupSum::by_sixteen, Keeps::f32_cut, "e8m0", 32},
      {"blackwell.nvfp4.f32", "e2m1", 64, 35, GroupSum::by_sixteen, Keeps::f32_cut, "e4m3", 16},
      {"cdna3.f16.f32", "f16", 8, 24, GroupSum::floored, Keeps::f32_nearest},
      {"cdna3.bf16.f32", "bf16", 8, 24, GroupSum::floored, Keeps::f32_nearest},
      {"cdna3.xf32.f32", "tf32", 4, 24, GroupSum::floored, Keeps::f32_nearest},
      {"cdna3.e4m3fnuz.f32", "e4m3fnuz", 16, 24, GroupSum::halves, Keeps::f32_nearest},
      {"cdna3.e5m2fnuz.f32", "e5m2fnuz", 16, 24, GroupSum::halves, Keeps::f32_nearest},
  };
  return all;
}

const MatrixUnit& matrix_unit(const std::string& name) {
  std::vector<std::string> names;
  for (const MatrixUnit& unit : matrix_units()) {
    if (unit.name == name) return unit;
    names.emplace_back(unit.name);
  }
  throw UserError("unknown matrix unit '" + name + "'", did_you_mean(name, names));
}

}  // namespace attestone
