// SPDX-License-Identifier: Apache-2.0
// Cutting declarations into words, and pointing at those that are wrong.
#include "reference/declared_words.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "reference/user_error.hpp"

namespace attestone {

std::string DeclaredWord::text() const {
  const bool equals = declaration->compare(begin + name.size(), 1, "=") == 0;
  return declaration->substr(begin, name.size() + (equals ? 1 + value.size() : 0));
}

void DeclaredWord::refuse_name(const std::string& owner, std::string_view what, const std::string& hint) const {
  refuse(owner, what, 0, name.size(), hint);
}

void DeclaredWord::refuse_value(const std::string& owner, std::string_view what, const std::string& hint) const {
  value.empty() ? refuse(owner, what, 0, text().size(), hint)
                : refuse(owner, what, name.size() + 1, value.size(), hint);
}

void DeclaredWord::refuse(const std::string& owner, std::string_view what, std::size_t from, std::size_t length,
                          const std::string& hint) const {
  throw UserError(fmt::format("{} declares the {} '{}'", owner, what, text()),
                  Place{*declaration, begin + from, length}, hint);
}

std::vector<DeclaredWord> declared_words(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  const auto whole = std::make_shared<const std::string>(text);  // one for all words: there may be very many
  std::vector<DeclaredWord> all;
  for (std::size_t at = 0; (at = text.find_first_not_of(blanks, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::size_t equals = std::min(word.find('='), word.size());
    all.push_back(
        {whole, at, std::string(word.substr(0, equals)), std::string(word.substr(std::min(equals + 1, word.size())))});
    at = end;
  }
  return all;
}

}  // namespace attestone
