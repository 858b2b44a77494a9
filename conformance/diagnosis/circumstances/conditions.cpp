// SPDX-License-Identifier: Apache-2.0
// The list of conditions, and of values that tell them apart.
#include "conformance/diagnosis/circumstances/conditions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <fmt/format.h>
#include <set>

namespace attestone::inline conformance {
namespace {

using Form = Condition::Form;

constexpr std::array<index, 7> tiles{2, 4, 8, 16, 32, 64, 128};
// Numbers at which kernels change their ways.
constexpr std::array<index, 25> limits{1,  2,  3,  4,   5,   7,   8,   12,  16,   24,   31,   32,  48,
                                       63, 64, 96, 127, 128, 192, 256, 512, 1024, 1536, 2048, 4096};
// Channels below these tell kernels nothing that they do in another way.
constexpr index least_limit_of_channels = 16;

// Where there are few, more are tried: so many rows and channels, or heads and sequences.
constexpr index most_beside_few = 72, most_of_few = 12;

index tiles_of(index extent, index tile) { return (extent + tile - 1) / tile; }

}  // namespace

bool Condition::holds(const Problem& problem) const {
  const index is = variable->of(problem.shape), than = other ? other->of(problem.shape) : 0;
  switch (form) {
    case Form::none:
      return true;
    case Form::above:
      return is > number;
    case Form::at_most:
      return is <= number;
    case Form::no_multiple:
      return is % number != 0;
    case Form::above_no_multiple:
      return is > number && is % number != 0;
    case Form::odd_tiles:
      return tiles_of(is, number) > 1 && tiles_of(is, number) % 2 != 0;
    case Form::no_power_of_two:
      return !std::has_single_bit(static_cast<std::uint64_t>(is));
    case Form::more_than_other:
      return is > than;
    case Form::less_than_other:
      return is < than;
    case Form::unlike_other:
      return is != than;
    case Form::like_other:
      return is == than;
  }
  return false;
}

index Condition::boundary(const Problem& problem) const {
  if (form == Form::above || form == Form::at_most) return number;
  return other ? other->of(problem.shape) : variable->of(problem.shape);
}

std::string Condition::text() const {
  const std::string_view name = variable->name, are = variable->are, than = other ? other->name : "";
  switch (form) {
    case Form::none:
      return {};
    case Form::above:
      return number >= 31 && std::has_single_bit(static_cast<std::uint64_t>(number + 1))
                 ? fmt::format("{} >= {}", name, number + 1)
                 : fmt::format("{} > {}", name, number);
    case Form::at_most:
      return number == 1 ? fmt::format("{} = 1", name) : fmt::format("{} <= {}", name, number);
    case Form::no_multiple:
      return number == 2 ? fmt::format("{} {} odd", name, are)
                         : fmt::format("{} {} no multiple of {}", name, are, number);
    case Form::above_no_multiple:
      return fmt::format("{} {} more than {} and no multiple of it", name, are, number);
    case Form::odd_tiles:
      return fmt::format("{} take 3, 5, 7 ... tiles of {}", name, number);
    case Form::no_power_of_two:
      return fmt::format("{} {} no power of two", name, are);
    case Form::more_than_other:
      return fmt::format("{} > {}", name, than);
    case Form::less_than_other:
      return fmt::format("{} < {}", name, than);
    case Form::unlike_other:
      return fmt::format("{} differs from {}", name, than);
    case Form::like_other:
      return fmt::format("{} = {}", name, than);
  }
  return {};
}

std::vector<Condition> conditions_on(const Variable& variable, const Problem& base, const Problem& least) {
  std::vector<Condition> all;
  const auto add = [&](const Condition& condition) {
    if (condition.holds(base) && condition.holds(least)) all.push_back(condition);
  };
  add({&variable});
  if (const Variable* other = compared_with(variable))
    for (const Form form : {Form::more_than_other, Form::less_than_other, Form::unlike_other, Form::like_other})
      add({&variable, form, 0, other});
  for (const index limit : limits) {
    if (variable.is_of_channels && limit < least_limit_of_channels) continue;
    add({&variable, Form::above, limit});
    add({&variable, Form::at_most, limit});
  }
  for (const index tile : tiles) add({&variable, Form::no_multiple, tile});
  add({&variable, Form::no_power_of_two});
  constexpr index least_tile = 8;
  for (const index tile : tiles) {
    if (tile < least_tile) continue;
    add({&variable, Form::above_no_multiple, tile});
    add({&variable, Form::odd_tiles, tile});
  }
  return all;
}

std::vector<Problem> problems_around(const Variable& variable, const Problem& base, const Problem& least) {
  const index at_base = variable.of(base.shape), at_least = variable.of(least.shape);
  const index most = std::max(2 * at_base, variable.is_long ? most_beside_few : most_of_few);
  std::set<index> values{at_least - 1, at_least, at_least + 1, 2 * at_base, 6, 9, 40, 80, 160, 320};
  for (const index limit : limits) values.insert({limit - 1, limit, limit + 1});
  if (const Variable* other = compared_with(variable))
    for (const index more : {-1, 0, 1}) values.insert(other->of(base.shape) + more);
  std::vector<Problem> all;
  for (const index value : values)
    if (value >= 1 && value <= most) all.push_back(with(base, variable, value));
  std::ranges::stable_sort(all, {}, [&](const Problem& p) { return std::abs(variable.of(p.shape) - at_base); });
  return all;
}

const Variable* compared_with(const Variable& variable) {
  constexpr std::array<std::array<std::string_view, 2>, 3> pairs{
      {{"value_dim", "dim"}, {"keys", "queries"}, {"batch", "heads"}}};
  for (const auto& pair : pairs)
    for (const Variable& other : variables())
      if ((variable.name == pair[0] && other.name == pair[1]) || (variable.name == pair[1] && other.name == pair[0]))
        return &other;
  return nullptr;
}

}  // namespace attestone::inline conformance
