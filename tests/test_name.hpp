// SPDX-License-Identifier: Apache-2.0
// Names of parameterised tests: readable, and the same in every build.
#pragma once

#include <concepts>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace attestone {

/// A text as a name may hold it: letters, digits and underscores. An arrow is read aloud, and anything else between two
/// words becomes one underscore: "bf16>f32" is bf16_to_f32, and "flash:block_q=16" is flash_block_q_16.
inline std::string name_of_test(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9'))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
    if (c == '>') name += "to_";
  }
  while (name.ends_with('_')) name.pop_back();
  return name;
}

/// Values that print as more than their bytes or an address, which differ from build to build.
template <class T>
concept Streamed = !std::is_pointer_v<T> && requires(const T& value, std::ostream& out) {
  out << value;
};
template <class T>
concept Printed = Streamed<T> || requires(const T& value, std::ostream& out) {
  PrintTo(value, &out);
};

/// The words that name a parameter: a text, the `name` of a struct, each part of a tuple, or what the value prints.
template <class T>
std::string words_of(const T& parameter) {
  if constexpr (std::convertible_to<const T&, std::string_view>) {
    return std::string(std::string_view(parameter));
  } else if constexpr (requires { std::string_view(parameter.name); }) {
    return std::string(std::string_view(parameter.name));
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    const auto join = [](const auto&... parts) { return ((words_of(parts) + '_') + ...); };
    return std::apply(join, parameter);
  } else {
    static_assert(Printed<T>, "give the parameter a name, PrintTo or operator<<");
    return testing::PrintToString(parameter);
  }
}

/// Names tests by their parameters, as the last argument of INSTANTIATE_TEST_SUITE_P.
inline constexpr auto by_parameter = [](const auto& test) { return name_of_test(words_of(test.param)); };

/// Names tests by numbers: those of `numbered("part")` are part_0, part_1 and so on.
inline auto numbered(std::string word) {
  return [word = std::move(word)](const auto& test) { return word + '_' + std::to_string(test.param); };
}

}  // namespace attestone
