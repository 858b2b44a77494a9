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

/// The command line, as far as a shell has to know it to complete it.
struct CommandLineDescription {
  /// A place of the command line where a value, or an option without one, may stand.
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
/// A right and a wrong kernel, judged in seconds.
ExitStatus demo_command();
/// Everything of one kind, or the kinds if `kind` is empty.
ExitStatus list_command(const std::string& kind);
/// What a name or the reason of a verdict means.
ExitStatus explain_command(const std::string& id);
/// Which planted bugs each judge catches: ours, and the acceptance rules of other projects.
ExitStatus score_command(const ScoreRequest&);
/// How fast kernels are, as shares of what the machine can do.
ExitStatus bench_command(const BenchRequest&);
/// Answers requests on standard input, as a program behind the pipe does whose kernel this is.
ExitStatus answer_command(const std::string& kernel);
/// A new directory with a right and a wrong kernel in a language, ready to build and to judge.
ExitStatus init_command(const std::string& directory, const std::string& language);
/// A script that completes the command line, for "bash" or "zsh".
ExitStatus completion_command(const std::string& shell, const CommandLineDescription&);
/// What this machine and this build are.
ExitStatus doctor_command();

}  // namespace attestone::inline conformance
