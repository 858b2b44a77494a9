// SPDX-License-Identifier: Apache-2.0
// The commands of the program: what each is given, and its exit status.
#pragma once

#include <string>
#include <vector>

#include "conformance/program/request/bench_request.hpp"
#include "conformance/program/request/run_request.hpp"
#include "conformance/program/request/score_request.hpp"
#include "conformance/run/exit_status.hpp"

namespace attestone::inline conformance {

/// The parts of the command line that a shell must know to complete it.
struct CommandLineDescription {
  /// A value that the command line takes, or an option without one.
  struct Value {
    std::string command;    ///< empty for what stands before every command
    std::string option;     ///< "--kernel"; empty for what stands without one
    std::string type;       ///< "KERNEL"; empty for an option that takes no value
    bool repeats = false;   ///< whether it may be given several times
    bool required = false;  ///< whether the command cannot do without
  };
  std::vector<Value> values;
  std::vector<std::string> commands;
};

/// Judges kernels on problems.
ExitStatus run_command(const RunRequest&);
/// Judges a right and a wrong kernel in seconds.
ExitStatus demo_command();
/// Lists everything of one kind, or the kinds if `kind` is empty.
ExitStatus list_command(const std::string& kind);
/// Explains a name, or the reason of a verdict.
ExitStatus explain_command(const std::string& id);
/// Reports which planted bugs each judge catches: ours, and the acceptance rules of other projects.
ExitStatus score_command(const ScoreRequest&);
/// Measures how fast kernels are, as shares of the machine's peak rates.
ExitStatus bench_command(const BenchRequest&);
/// Answers the requests on standard input with this kernel, as a program behind the pipe does.
ExitStatus answer_command(const std::string& kernel);
/// Makes a directory with a right and a wrong kernel in a language, ready to build and to judge.
ExitStatus init_command(const std::string& directory, const std::string& language);
/// Prints a script that completes the command line, for "bash" or "zsh".
ExitStatus completion_command(const std::string& shell, const CommandLineDescription&);
/// Reports the facts of this machine and this build that a bug report needs.
ExitStatus doctor_command();

}  // namespace attestone::inline conformance
