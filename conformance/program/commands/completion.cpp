// SPDX-License-Identifier: Apache-2.0
// attestone completion: a script by which a shell completes commands, options and problems, with every word taken from
// the command line's own description and from the registries.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "backends/catalogue.hpp"
#include "backends/plugins/declared/declared_numerics.hpp"
#include "conformance/program/commands.hpp"
#include "conformance/program/commands/vocabulary.hpp"
#include "reference/numerics/declaration.hpp"
#include "reference/problem/problem.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

// What both shells understand. _attestone_words, _attestone_type and _attestone_options hold the words; they follow.
constexpr const char* shared_script = R"sh(
# _attestone_complete COMMAND PREVIOUS WORD: every way to complete the WORD after the PREVIOUS one, a line each.
_attestone_complete() {
  local type head=
  case $3 in
    --*=*) head=${3%%=*}= type=$(_attestone_type "$1" "${3%%=*}") ;;
    -*) _attestone_options "$1" | _attestone_begin '' "$3"; return ;;
    *) type=$(_attestone_type "$1" "$2"); [ -n "$type" ] || type=$(_attestone_type "$1" '') ;;
  esac
  _attestone_value "$type" "$head" "${3#"$head"}"
}
# _attestone_value TYPE HEAD TEXT: the completions of a value's TEXT, each behind the HEAD that stands already.
_attestone_value() {
  local type=$1 head=$2 text=$3 last
  if [ "$type" = PROBLEM ] || [ "$type" = DECLARATION ]; then
    last=${text##* } head=$head${text%"${text##* }"} text=$last
    case $text in *=*) type=$type.${text%%=*} head=$head${text%%=*}= text=${text#*=} ;; esac
  fi
  last=${text##*[,&|~(>]} head=$head${text%"${text##*[,&|~(>]}"} text=$last
  case $type$text in
    KERNEL*:*) type=KERNEL.${text%%:*} head=$head${text%"${text##*:}"} text=${text##*:} ;;
    PROBLEM.layout*+*) type=TENSOR head=$head${text%"${text##*+}"} text=${text##*+} ;;
    PROBLEM.dtype*+*|PROBLEM.wants*+*|MESH*+*|FAULTS*+*) head=$head${text%"${text##*+}"} text=${text##*+} ;;
  esac
  case $type$text in
    TENSOR*/*) type=PROBLEM.layout head=$head${text%%/*}/ text=${text#*/} ;;
    PROBLEM.dtype*:*) type=GRANULARITY head=$head${text%%:*}: text=${text#*:} ;;
  esac
  _attestone_words "$type" | _attestone_begin "$head" "$text"
}
# _attestone_begin HEAD TEXT: those lines of the input that begin with TEXT, behind HEAD.
_attestone_begin() {
  local word
  while IFS= read -r word; do
    case $word in "$2"*) printf '%s\n' "$1$word" ;; esac
  done
}
)sh";

// Readline replaces what follows the last of its word breaks, or of an open quote: only that may be answered.
constexpr const char* bash_script = R"sh(
_attestone() {
  local line=${COMP_LINE:0:COMP_POINT} words=() word= quote= kept= tail c i
  for ((i = 0; i < ${#line}; i++)); do
    c=${line:i:1}
    if [[ $quote ]]; then
      if [[ $c == "$quote" ]]; then quote=; else word+=$c; fi
    elif [[ $c == "'" || $c == '"' ]]; then
      quote=$c kept=$word
    elif [[ $c == ' ' ]]; then
      words+=("$word") word=
    else
      word+=$c
    fi
  done
  if [[ ! $quote ]]; then
    tail=$word
    for ((i = 0; i < ${#COMP_WORDBREAKS}; i++)); do tail=${tail##*"${COMP_WORDBREAKS:i:1}"}; done
    kept=${word%"$tail"}
  fi
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("${line#"$kept"}"); done < <(
    _attestone_complete "${words[1]}" "${words[${#words[@]} - 1]}" "$word"
  )
  if [[ $quote || ${COMPREPLY[0]} == *[=:/] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _attestone attestone
)sh";

constexpr const char* zsh_script = R"sh(
_attestone() {
  local word command=
  (( CURRENT > 2 )) && command=$words[2]
  local -a all open finished
  all=("${(@f)$(_attestone_complete "$command" "$words[CURRENT-1]" "$PREFIX")}")
  for word in $all; do
    if [[ -n $QIPREFIX || $word == *[=:/] ]]; then open+=("$word"); else finished+=("$word"); fi
  done
  (( $#open + $#finished )) || { compset -P '*='; _files; return }
  compadd -S '' -a open
  compadd -a finished
}
compdef _attestone attestone
)sh";

const std::vector<std::string> shells{"bash", "zsh"};

using Words = std::set<std::string>;

/// 'a' 'b': words quoted for a shell; no word holds a quote.
std::string quoted(const Words& words) { return fmt::format("'{}'", fmt::join(words, "' '")); }

/// "PROPERTY" -> "properties": the kind of the vocabulary whose members are such a thing.
std::string kind_of(std::string_view thing) {
  std::string kind;
  for (const char c : thing) kind += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (kind.ends_with('y')) return kind.substr(0, kind.size() - 1) + "ies";
  return kind + "s";
}

using Vocabulary = std::map<std::string, std::vector<Word>>;

Words spellings(const Vocabulary& vocabulary, const std::string& kind) {
  Words all;
  const auto found = vocabulary.find(kind);
  if (found == vocabulary.end()) return all;
  for (const Word& word : found->second) {
    if (word.spellings.empty()) all.insert(word.name);
    all.insert(word.spellings.begin(), word.spellings.end());
  }
  return all;
}

/// The values of a field of a problem: the words of its kind, or the example where there are none.
Words field_values(const Vocabulary& vocabulary, const FieldHelp& field) {
  if (field.name == "wants") {
    const std::vector<std::string> names = names_of(answers());
    return {names.begin(), names.end()};
  }
  const Words words = spellings(vocabulary, kind_of(field.name));
  return words.empty() ? Words{std::string(field.example.substr(field.name.size() + 1))} : words;
}

Words type_values(const Vocabulary& vocabulary, const std::string& type) {
  Words all = spellings(vocabulary, kind_of(type));
  if (type == "KERNEL") all.merge(spellings(vocabulary, "mutants"));  // judged like any kernel
  if (type == "PROBLEM")
    for (const FieldHelp& field : problem_fields()) all.insert(std::string(field.name) + "=");
  if (type == "DECLARATION") {
    all.insert(std::string(DeclaredNumerics::model_word) + "=");
    for (const std::string& name : declarable_names()) all.insert(name + "=");
    for (const ConventionField& field : convention_fields()) all.insert(std::string(field.name) + "=");
  }
  for (const auto& [kind, words] : vocabulary) {
    if (type == "KIND") all.insert(kind);
    if (type == "ID")
      for (const Word& word : words)
        if (word.name.find_first_of(" &|~") == std::string::npos)  // would have to be quoted
          all.insert(word.name.substr(0, word.name.find(':')));
  }
  if (type == "SHELL") all = {shells.begin(), shells.end()};
  if (type == "MESH") all = spellings(vocabulary, "axes");
  if (type == "FAULTS") all = spellings(vocabulary, "faults");
  return all;
}

/// _attestone_words TYPE: the words of a type of value, a line each.
std::string words_function(const CommandLineDescription& command_line) {
  const Vocabulary words = vocabulary();
  std::map<std::string, Words> by_type;
  for (const auto& value : command_line.values)
    if (!value.type.empty()) by_type[value.type] = type_values(words, value.type);
  by_type["COMMAND"] = Words(command_line.commands.begin(), command_line.commands.end());
  for (const FieldHelp& field : problem_fields())
    by_type["PROBLEM." + std::string(field.name)] = field_values(words, field);
  for (const ConventionField& field : convention_fields())
    for (const ConventionField::Value& value : field.values)
      by_type["DECLARATION." + std::string(field.name)].insert(std::string(value.word));
  for (const std::string& tensor : names_of(placed_tensors())) by_type["TENSOR"].insert(tensor + "/");
  by_type["GRANULARITY"] = spellings(words, "granularities");
  for (const auto& [name, kernel] : Registry<KernelEntry>::all())
    for (const Setting& setting : kernel.settings)
      for (const std::string& value :
           setting.values.words.empty() ? std::vector<std::string>{""} : setting.values.words)
        by_type["KERNEL." + name].insert(fmt::format("{}={}", setting.name, value));

  std::string function = "_attestone_words() {\n  case $1 in\n";
  for (const auto& [type, all] : by_type)
    if (!all.empty()) function += fmt::format("    {}) printf '%s\\n' {} ;;\n", type, quoted(all));
  return function + "  esac\n}\n";
}

/// _attestone_type COMMAND OPTION: the type of the option's value, or without OPTION of what stands by itself.
std::string type_function(const CommandLineDescription& command_line) {
  std::string function = "_attestone_type() {\n  case $1/$2 in\n    /) printf COMMAND ;;\n";
  for (const auto& value : command_line.values)
    if (!value.type.empty())
      function += fmt::format("    {}/{}) printf {} ;;\n", value.command, value.option, value.type);
  return function + "  esac\n}\n";
}

/// _attestone_options COMMAND: its options, a line each, with = where a value follows.
std::string options_function(const CommandLineDescription& command_line) {
  std::map<std::string, Words> by_command;
  for (const auto& value : command_line.values)
    if (!value.option.empty()) by_command[value.command].insert(value.option + (value.type.empty() ? "" : "="));
  std::string function = "_attestone_options() {\n  case $1 in\n";
  for (const auto& [command, options] : by_command)
    function += fmt::format("    '{}') printf '%s\\n' {} ;;\n", command, quoted(options));
  return function + "  esac\n}\n";
}

}  // namespace

ExitStatus completion_command(const std::string& shell, const CommandLineDescription& command_line) {
  if (std::find(shells.begin(), shells.end(), shell) == shells.end())
    throw UserError("no completion for the shell '" + shell + "'", Place{shell, 0, shell.size()},
                    did_you_mean(shell, shells));
  fmt::print("# Completion of attestone for {0}: eval \"$(attestone completion {0})\"\n{1}{2}{3}{4}{5}", shell,
             words_function(command_line), type_function(command_line), options_function(command_line), shared_script,
             shell == "bash" ? bash_script : zsh_script);
  return ExitStatus::ok;
}

}  // namespace attestone::inline conformance
