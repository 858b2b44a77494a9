// SPDX-License-Identifier: Apache-2.0
// Settings of a kernel: text that each setting checks itself.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/scanner.hpp"

namespace attestone::inline backends {

/// The values that a setting may have.
struct Values {
  std::string text;  ///< in words: "an integer, at least 1"
  /// A value as it is printed; nothing if the text is none.
  std::function<std::optional<std::string>(std::string_view)> accepted;
  std::vector<std::string> words = {};  ///< all of them, where they are few
};

/// An integer, at least `least`.
Values integers_from(index least);
/// A number above 0, as its shortest text, or this word.
Values positive_or(std::string word);
/// One of at least two words. A switch is one_of({"0", "1"}).
Values one_of(std::vector<std::string> words);

/// A setting of a kernel, as in "flash:block_q=64".
struct Setting {
  std::string_view name;
  std::string_view fallback;  ///< the value if it is not given, as it is printed
  Values values;
  std::string_view meaning;
};

/// Every setting of one kernel with its value, and where the user wrote that.
class Settings {
 public:
  /// All at their fallbacks.
  explicit Settings(const std::vector<Setting>&);

  /// Takes the value that comes next, up to a colon. UserError with a caret if it is none of the setting's, or if the
  /// setting was given before.
  void take(const Setting&, Scanner&);

  const std::string& text(std::string_view setting) const;
  index integer(std::string_view setting) const;
  /// The number of a positive_or() setting: nothing for the word.
  std::optional<double> number(std::string_view setting) const;

  /// UserError for a value that does not fit the others, with a caret under it.
  [[noreturn]] void reject(std::string_view setting, const std::string& message, const std::string& hint) const;

 private:
  struct Value {
    std::string text;
    std::optional<Place> place = {};  ///< nothing if it was not given
  };
  const Value& value(std::string_view setting) const;

  std::map<std::string, Value, std::less<>> values_;
};

/// Reads settings after a kernel's name: ":block_q=64:block_kv=128". UserError with a caret for what is none of its
/// settings.
Settings read_settings(Scanner&, std::string_view kernel, const std::vector<Setting>&);

/// "flash" and "flash:block_q=64": the name alone, and with each of these settings.
std::vector<std::string> with_examples(std::string_view kernel, const std::vector<std::string>& examples);

/// "flash:block_q=64": the name with those settings that differ from their fallback.
std::string text_with_settings(std::string_view kernel, const std::vector<Setting>&, const Settings&);

}  // namespace attestone::inline backends
