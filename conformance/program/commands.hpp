// SPDX-License-Identifier: Apache-2.0
// The commands of the program: what each is given, and its exit status.
#pragma once

#include <string>
#include <vector>

#include "conformance/run/exit_status.hpp"

namespace attestone::inline conformance {

/// What `attestone run` was given, word for word. Commas in lists are not yet read.
struct RunCommand {
  std::vector<std::string> kernels;
  std::vector<std::string> plugins;        ///< paths of shared libraries
  std::vector<std::string> programs;       ///< lines for a shell
  std::vector<std::string> rank_programs;  ///< lines for a shell, each run by every rank of a mesh
  std::string timeout;                     ///< of one call of an outside kernel: "60s"
  std::string memory_limit;                ///< of an outside kernel's process: "2G"
  std::string declared;                    ///< of all kernels, over what they say: "exp_error=1e-6 lse=log2"
  std::vector<std::string> problem;        ///< the words of one problem line; commas multiply
  std::string suite;
  std::vector<std::string> properties;
  std::vector<std::string> excluded;  ///< properties that are left out
  std::vector<std::string> dtypes;    ///< formats of the inputs: only problems of these
  std::vector<std::string> required;
  std::string budget;  ///< "60s", "5m"
  bool fail_fast = false;
  bool no_shrink = false;
  bool allow_incomplete = false;  ///< a run that was cut short ends with what came of it until then
  std::string seed;
  std::string local;                            ///< the kernel of each device of a mesh: "flash:block_q=32"
  std::string mesh, world, faults, world_seed;  ///< "ulysses:2+ring:2", "mpi", "drop:3", "7"
  std::string report_directory;
  std::string format = "text";
};

/// What `attestone score` was given, word for word.
struct ScoreCommand {
  std::vector<std::string> judges, mutants;
  std::string suite;
  std::string report_directory;
  std::string format = "text";
};

/// What `attestone bench` was given, word for word.
struct BenchCommand {
  std::vector<std::string> kernels, plugins, programs;
  std::string timeout, memory_limit;
  std::vector<std::string> problem;  ///< the words of problem lines; commas multiply
  std::vector<std::string> grids;
  std::vector<std::string> threads;  ///< "1,2"
  std::string rounds;
  std::string steady;                   ///< by how many percent the limit may move around a round that counts
  std::string peers;                    ///< a line for a shell: what starts peers
  std::vector<std::string> peer_names;  ///< only these
  std::string budget;
  bool limits_only = false;
  std::string report_directory;
  std::string format = "text";
};

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

ExitStatus run_command(const RunCommand&);
/// A right and a wrong kernel, judged in seconds.
ExitStatus demo_command();
/// Everything of one kind, or the kinds if `kind` is empty.
ExitStatus list_command(const std::string& kind);
/// What a name or the reason of a verdict means.
ExitStatus explain_command(const std::string& id);
/// Which planted bugs each judge catches: ours, and the acceptance rules of other projects.
ExitStatus score_command(const ScoreCommand&);
/// How fast kernels are, as shares of what the machine can do.
ExitStatus bench_command(const BenchCommand&);
/// Answers requests on standard input, as a program behind the pipe does whose kernel this is.
ExitStatus answer_command(const std::string& kernel);
/// A new directory with a right and a wrong kernel in a language, ready to build and to judge.
ExitStatus init_command(const std::string& directory, const std::string& language);
/// A script that completes the command line, for "bash" or "zsh".
ExitStatus completion_command(const std::string& shell, const CommandLineDescription&);
/// What this machine and this build are.
ExitStatus doctor_command();

}  // namespace attestone::inline conformance
