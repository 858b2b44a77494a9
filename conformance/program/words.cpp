// SPDX-License-Identifier: Apache-2.0
// Reading words one by one, by the description of the command line.
#include "conformance/program/words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

using Value = CommandLineDescription::Value;

Place all_of(const std::string& word) { return {word, 0, word.size()}; }

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

/// "attestone run", or "attestone" in front of any command.
std::string spoken(const std::string& command) { return "attestone" + (command.empty() ? "" : " " + command); }

class Reader {
 public:
  Reader(const CommandLineDescription& description, const std::string& command)
      : description_(description), command_(command) {
    for (const Value& value : description.values)
      if (value.command == command) (value.option.empty() ? places_ : options_).push_back(&value);
  }

  /// Reads the words from `first` on.
  CommandWords read(const std::vector<std::string>& words, std::size_t first) {
    bool options_end = false;
    for (std::size_t i = first; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (!options_end && asks_for_help(word)) return {command_, true, {}};
      if (!options_end && word == "--")
        options_end = true;
      else if (options_end || !is_option(word))
        take_by_itself(word);
      else if (takes_next(word))
        take_option(word, ++i < words.size() ? &words[i] : nullptr);
      else
        take_option(word, nullptr);
    }
    for (std::size_t i = alone_; i < places_.size(); ++i)
      if (places_[i]->required)
        throw UserError(fmt::format("{} lacks its {}", spoken(command_), places_[i]->type), see_help());
    return {command_, false, std::move(given_)};
  }

 private:
  std::string see_help() const { return spoken(command_) + " --help shows what it takes"; }

  const Value& option_of(const std::string& word) const {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const Value* option : options_) {
      if (option->option == name) return *option;
      names.push_back(option->option);
    }
    names.emplace_back("--help");
    const Place place{word, 0, name.size()};
    for (const Value& other : description_.values)
      if (other.option == name && !other.command.empty())
        throw UserError(fmt::format("{} has no option '{}'", spoken(command_), name), place,
                        fmt::format("it belongs to {}; {}", spoken(other.command), see_help()));
    throw UserError(fmt::format("{} has no option '{}'", spoken(command_), name), place, did_you_mean(name, names));
  }

  bool takes_next(const std::string& word) const {
    return word.find('=') == std::string::npos && !option_of(word).type.empty();
  }

  void take_option(const std::string& word, const std::string* next) {
    const Value& option = option_of(word);
    const std::size_t equals = word.find('=');
    const std::string write = fmt::format("write {}={}", option.option, option.type);
    if (option.type.empty() && equals != std::string::npos)
      throw UserError(option.option + " takes no value", Place{word, equals, word.size() - equals});
    if (++times_[option.option] > 1 && !option.repeats)
      throw UserError(option.option + " is given twice", all_of(word));
    if (option.type.empty()) return given_.push_back({option.option, ""});
    if (equals == word.size() - 1)
      throw UserError(option.option + " has an empty value", Place{word, equals, 1}, write);
    if (equals != std::string::npos) return given_.push_back({option.option, word.substr(equals + 1)});
    if (!next) throw UserError(option.option + " has no value", all_of(word), write);
    if (next->empty()) throw UserError(option.option + " has an empty value", all_of(word), write);
    // "--kernel --suite=smoke" lacks a name; whoever means it writes --kernel=--suite=smoke.
    if (is_option(*next)) {
      const std::string both = word + " " + *next;
      throw UserError(option.option + " has no value: what follows is an option", Place{both, 0, word.size()}, write);
    }
    given_.push_back({option.option, *next});
  }

  void take_by_itself(const std::string& word) {
    if (word.empty()) throw UserError("a word of the command line is empty", "is a variable of the shell not set?");
    const bool fits = alone_ < places_.size() || (!places_.empty() && places_.back()->repeats);
    if (!fits)
      throw UserError(places_.empty() ? fmt::format("{} takes no '{}'", spoken(command_), word)
                                      : fmt::format("{} takes one {}, and this is another word", spoken(command_),
                                                    places_.back()->type),
                      all_of(word), see_help());
    ++alone_;
    given_.push_back({"", word});
  }

  const CommandLineDescription& description_;
  const std::string& command_;
  std::vector<const Value*> options_, places_;
  std::map<std::string, int> times_;  // that an option was given
  std::size_t alone_ = 0;             // how many words stand by themselves
  std::vector<CommandWords::Given> given_;
};

}  // namespace

CommandWords read_words(const CommandLineDescription& description, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const std::string& command = words.front();
  if (asks_for_help(command)) return {"", true, {}};
  if (command == "--version") return {"", false, {{command, ""}}};
  if (command.empty()) throw UserError("a word of the command line is empty", "is a variable of the shell not set?");
  if (is_option(command)) {
    const std::string name = command.substr(0, command.find('='));
    for (const Value& value : description.values)
      if (value.option == name && !value.command.empty())
        throw UserError("an option stands behind its command", Place{command, 0, name.size()},
                        fmt::format("write {} {}", spoken(value.command), command));
    throw UserError("attestone has no option '" + name + "'", Place{command, 0, name.size()},
                    did_you_mean(name, std::vector<std::string>{"--help", "--version"}));
  }
  if (std::find(description.commands.begin(), description.commands.end(), command) == description.commands.end())
    throw UserError("unknown command '" + command + "'", all_of(command), did_you_mean(command, description.commands));
  return Reader(description, command).read(words, 1);
}

}  // namespace attestone::inline conformance
