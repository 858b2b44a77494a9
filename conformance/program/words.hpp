// SPDX-License-Identifier: Apache-2.0
// The words of a command line, held to what the commands take, before anything is read from them.
#pragma once

#include <string>
#include <vector>

#include "conformance/program/commands.hpp"

namespace attestone::inline conformance {

/// The command, the options and the values of a command line.
struct CommandWords {
  /// One word, or an option with its value.
  struct Given {
    std::string option;  ///< "--kernel"; empty for a value without an option
    std::string value;   ///< empty for an option that takes none
  };
  std::string command;  ///< empty where there is none
  bool help = false;    ///< asked for anywhere: nothing else counts
  std::vector<Given> given;
};

/// Reads the words after "attestone". Throws UserError for an unknown command or option, an empty word, a word too many
/// or missing, a value that is missing, empty or not taken, and an option given twice that is read once.
CommandWords read_words(const CommandLineDescription&, const std::vector<std::string>& words);

}  // namespace attestone::inline conformance
