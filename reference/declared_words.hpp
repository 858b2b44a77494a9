// SPDX-License-Identifier: Apache-2.0
// A declaration as text: "name=value name=value ...", word by word, each knowing where it stands.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attestone {

/// One word of a declaration.
struct DeclaredWord {
  std::shared_ptr<const std::string> declaration;  ///< the whole text, of which the word is a part
  std::size_t begin = 0;                           ///< where the word stands in it
  std::string name, value;  ///< before and behind the first '='; without one, all of it is the name

  std::string text() const;
  /// UserError with a caret under the name, or under the value: "OWNER declares the WHAT 'name=value'".
  [[noreturn]] void refuse_name(const std::string& owner, std::string_view what, const std::string& hint) const;
  [[noreturn]] void refuse_value(const std::string& owner, std::string_view what, const std::string& hint) const;

 private:
  [[noreturn]] void refuse(const std::string& owner, std::string_view what, std::size_t from, std::size_t length,
                           const std::string& hint) const;
};

/// The words between blanks.
std::vector<DeclaredWord> declared_words(std::string_view text);

}  // namespace attestone
