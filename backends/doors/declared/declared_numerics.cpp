// SPDX-License-Identifier: Apache-2.0
// The fields of Numerics by name.
#include "backends/doors/declared/declared_numerics.hpp"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <variant>

#include "reference/user_error.hpp"

namespace attestone {
namespace {

using Field = std::variant<double Numerics::*, bool Numerics::*, index Numerics::*>;

const std::map<std::string, Field, std::less<>>& fields() {
  static const std::map<std::string, Field, std::less<>> all{
      {"accumulator_roundoff", &Numerics::accumulator_roundoff},
      {"accumulator_truncates", &Numerics::accumulator_truncates},
      {"accumulator_largest", &Numerics::accumulator_largest},
      {"accumulator_underflow", &Numerics::accumulator_underflow},
      {"operand_roundoff", &Numerics::operand_roundoff},
      {"prescale_roundoff", &Numerics::prescale_roundoff},
      {"prescale_underflow", &Numerics::prescale_underflow},
      {"score_roundoff", &Numerics::score_roundoff},
      {"score_underflow", &Numerics::score_underflow},
      {"score_largest", &Numerics::score_largest},
      {"exp_error", &Numerics::exp_error},
      {"log_error", &Numerics::log_error},
      {"tanh_error", &Numerics::tanh_error},
      {"weight_roundoff", &Numerics::weight_roundoff},
      {"weight_underflow", &Numerics::weight_underflow},
      {"weight_smallest_normal", &Numerics::weight_smallest_normal},
      {"denominator_sums_cast_weights", &Numerics::denominator_sums_cast_weights},
      {"weights_are_normalised", &Numerics::weights_are_normalised},
      {"tile_queries", &Numerics::tile_queries},
      {"tile_keys", &Numerics::tile_keys},
      {"fresh_accumulator_per_tile", &Numerics::fresh_accumulator_per_tile},
      {"score_gradient_roundoff", &Numerics::score_gradient_roundoff},
      {"score_gradient_underflow", &Numerics::score_gradient_underflow},
      {"score_gradient_largest", &Numerics::score_gradient_largest},
      {"delta_from_rounded_out", &Numerics::delta_from_rounded_out},
      {"output_roundoff", &Numerics::output_roundoff},
      {"output_underflow", &Numerics::output_underflow},
      {"output_largest", &Numerics::output_largest},
      {"log_sum_exp_roundoff", &Numerics::log_sum_exp_roundoff},
  };
  return all;
}

[[noreturn]] void fail(const std::string& owner, const std::string& word, const std::string& hint) {
  throw UserError(fmt::format("{} declares '{}' of its numerics", owner, word), hint);
}

/// Not negative and finite: every field is a size.
double number_of(const std::string& owner, const std::string& word, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !std::isfinite(value) || value < 0) fail(owner, word, "a number, 0 or more");
  return value;
}

void set(Numerics& numerics, double Numerics::*field, const std::string& owner, const std::string& word,
         const std::string& text) {
  numerics.*field = number_of(owner, word, text);
}

void set(Numerics& numerics, index Numerics::*field, const std::string& owner, const std::string& word,
         const std::string& text) {
  constexpr double most = 1 << 30;
  const double value = number_of(owner, word, text);
  if (value != std::floor(value) || value > most) fail(owner, word, "a whole number");
  numerics.*field = static_cast<index>(value);
}

void set(Numerics& numerics, bool Numerics::*field, const std::string& owner, const std::string& word,
         const std::string& text) {
  if (text != "yes" && text != "no") fail(owner, word, "yes or no");
  numerics.*field = text == "yes";
}

}  // namespace

Numerics with_declared(Numerics numerics, std::string_view text, const std::string& owner) {
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const auto field = fields().find(name);
    if (field == fields().end()) fail(owner, word, did_you_mean(name, numerics_fields()));
    std::visit([&](auto member) { set(numerics, member, owner, word, value); }, field->second);
    numerics.class_name = "declared";
  }
  return numerics;
}

std::vector<std::string> numerics_fields() {
  std::vector<std::string> names;
  for (const auto& [name, field] : fields()) names.push_back(name);
  return names;
}

}  // namespace attestone
