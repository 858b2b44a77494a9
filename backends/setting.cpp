// SPDX-License-Identifier: Apache-2.0
// Checking values of settings.
#include "backends/setting.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

#include "reference/require.hpp"

namespace attestone::inline backends {
namespace {

/// The whole text as an integer.
std::optional<index> integer_of(std::string_view text) {
  index value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// The whole text as a finite number above 0.
std::optional<double> positive_number_of(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && value > 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

Values integers_from(index least) {
  return {fmt::format("an integer, at least {}", least), [least](std::string_view text) -> std::optional<std::string> {
            const auto value = integer_of(text);
            return value && *value >= least ? std::optional(std::to_string(*value)) : std::nullopt;
          }};
}

Values positive_or(std::string word) {
  std::string text = fmt::format("{}, or a number above 0", word);
  return {std::move(text), [word = std::move(word)](std::string_view given) -> std::optional<std::string> {
            if (given == word) return word;
            const auto value = positive_number_of(given);
            return value ? std::optional(fmt::format("{}", *value)) : std::nullopt;
          }};
}

Values one_of(std::vector<std::string> words) {
  const std::span<const std::string> all(words);
  const std::string text = fmt::format("{} or {}", fmt::join(all.first(all.size() - 1), ", "), all.back());
  const auto accepted = [words](std::string_view given) -> std::optional<std::string> {
    const auto word = std::ranges::find(words, given);
    return word == words.end() ? std::nullopt : std::optional(*word);
  };
  return {text, accepted, std::move(words)};
}

Settings::Settings(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) values_.emplace(setting.name, Value{std::string(setting.fallback)});
}

void Settings::take(const Setting& setting, Scanner& in) {
  const std::size_t begin = in.position();
  const auto given = setting.values.accepted(in.until(":"));
  if (!given) in.fail(begin, fmt::format("{} is {}", setting.name, setting.values.text), std::string(setting.meaning));
  Value& value = values_.find(setting.name)->second;
  if (value.place) in.fail(begin, fmt::format("{} is given twice", setting.name), "it was " + value.text + " before");
  value = {*given, in.place(begin)};
}

const Settings::Value& Settings::value(std::string_view setting) const {
  const auto found = values_.find(setting);
  require(found != values_.end(), "a kernel asks for settings of its own");
  return found->second;
}

const std::string& Settings::text(std::string_view setting) const { return value(setting).text; }

index Settings::integer(std::string_view setting) const {
  const auto number = integer_of(text(setting));
  require(number.has_value(), "a setting that is read as an integer takes only integers");
  return *number;
}

std::optional<double> Settings::number(std::string_view setting) const { return positive_number_of(text(setting)); }

void Settings::reject(std::string_view setting, const std::string& message, const std::string& hint) const {
  const Value& rejected = value(setting);
  if (rejected.place) throw UserError(message, *rejected.place, hint);
  throw UserError(message, hint);
}

namespace {

const Setting& find_setting(const Scanner& in, std::size_t begin, std::string_view kernel,
                            const std::vector<Setting>& settings, const std::string& name) {
  std::vector<std::string> names;
  for (const Setting& setting : settings) {
    if (setting.name == name) return setting;
    names.emplace_back(setting.name);
  }
  in.fail(begin, fmt::format("kernel '{}' has no setting '{}'", kernel, name), did_you_mean(name, names));
}

}  // namespace

Settings read_settings(Scanner& in, std::string_view kernel, const std::vector<Setting>& all) {
  Settings settings(all);
  while (in.take(':')) {
    const std::size_t begin = in.position();
    const Setting& setting = find_setting(in, begin, kernel, all, in.word("a setting, as in block_q=64"));
    in.expect('=', "after the name of a setting");
    settings.take(setting, in);
  }
  if (!in.done()) in.fail(in.position(), "this does not belong to the kernel");
  return settings;
}

std::vector<std::string> with_examples(std::string_view kernel, const std::vector<std::string>& examples) {
  std::vector<std::string> all{std::string(kernel)};
  for (const std::string& settings : examples) all.push_back(all.front() + ":" + settings);
  return all;
}

std::string text_with_settings(std::string_view kernel, const std::vector<Setting>& all, const Settings& settings) {
  std::string text(kernel);
  for (const Setting& setting : all)
    if (const std::string& value = settings.text(setting.name); value != setting.fallback)
      text += fmt::format(":{}={}", setting.name, value);
  return text;
}

}  // namespace attestone::inline backends
