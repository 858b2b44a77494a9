// SPDX-License-Identifier: Apache-2.0
// From the table of fields to values that can be tried.
#include "conformance/diagnosis/declarations/loosening_fields.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <type_traits>

#include "reference/numerics/fields.hpp"

namespace attestone::inline conformance {
namespace {

// Half the least subnormal number of f32; and an eighth: bounds beyond it tell little.
constexpr int least_exponent = -150, largest_exponent = -3;

std::vector<std::string> powers_above(double declared) {
  std::vector<std::string> values;
  const int first = declared > 0 ? std::ilogb(declared) + 1 : least_exponent;
  for (int exponent = std::max(first, least_exponent); exponent <= largest_exponent; ++exponent)
    values.push_back(fmt::format("0x1p{}", exponent));
  return values;
}

/// Functions err one way for many arguments, and what is cut off is always smaller.
bool may_lean(const std::string& name) {
  const bool of_function = name.ends_with("exp_error") || name.ends_with("tanh_error") || name.ends_with("log_error");
  return of_function || name.ends_with("truncates");
}

}  // namespace

std::vector<LooseningField> loosening_fields(const Numerics& declared) {
  std::map<std::string, std::vector<std::string>> by_field;
  for_each_field([&](const std::string& name, const auto& member, Looser looser) {
    using Value = std::remove_cvref_t<decltype(member(declared))>;
    if (looser != Looser::larger) return;
    if constexpr (std::is_same_v<Value, double>)
      by_field[name] = powers_above(member(declared));
    else if constexpr (std::is_same_v<Value, bool>)
      by_field[name] = member(declared) ? std::vector<std::string>() : std::vector<std::string>{"yes"};
  });
  std::vector<LooseningField> all;
  for (const ShortName& group : short_names()) {
    const auto known = by_field.find(group.fields.front());
    if (known == by_field.end()) continue;
    std::vector<std::string> values = known->second;
    // Of several fields the largest that is declared bounds what is tried.
    for (const std::string& field : group.fields)
      if (by_field.at(field).size() < values.size()) values = by_field.at(field);
    all.push_back({group.name, std::move(values), may_lean(group.name)});
    if (group.fields.size() == 1) by_field.erase(known);
  }
  for (auto& [name, values] : by_field) all.push_back({name, std::move(values), may_lean(name)});
  std::erase_if(all, [](const LooseningField& field) { return field.values.empty(); });
  return all;
}

}  // namespace attestone::inline conformance
