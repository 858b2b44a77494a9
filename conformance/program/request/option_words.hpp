// SPDX-License-Identifier: Apache-2.0
// The options of `attestone run`, `score` and `bench`, word for word. Only the readers of this room look at them.
#pragma once

#include <string>
#include <vector>

namespace attestone::inline conformance {

/// Options that name kernels and devices. Commas in lists are not yet read; an option that was not given is empty.
struct KernelWords {
  std::vector<std::string> kernels;
  std::vector<std::string> plugins;             ///< paths of shared libraries
  std::vector<std::string> programs;            ///< lines for a shell
  std::vector<std::string> rank_programs;       ///< lines for a shell, each run by every rank of a mesh
  std::string timeout;                          ///< of one call of an outside kernel: "60s"
  std::string memory_limit;                     ///< of an outside kernel's process: "2G"
  std::string declared;                         ///< by all kernels, over what they say: "exp_error=1e-6 lse=log2"
  std::string local;                            ///< the kernel of each device of a mesh: "flash:block_q=32"
  std::string mesh, world, faults, world_seed;  ///< "ulysses:2+ring:2", "mpi", "drop:3", "7"
};

/// Options that name problems.
struct ProblemWords {
  std::vector<std::string> problem;  ///< the words of problem lines; commas multiply
  std::string suite;
  std::vector<std::string> dtypes;  ///< formats of the inputs: only problems of these
  std::string seed;
  std::string unseen;  ///< how many further problems are drawn, and by which seed: "100", "100:7"
};

/// All that `attestone run` takes.
struct RunWords : KernelWords, ProblemWords {
  std::vector<std::string> properties;
  std::vector<std::string> excluded;  ///< properties that are left out
  std::vector<std::string> required;
  std::string budget;  ///< "60s", "5m"
  bool fail_fast = false;
  bool no_shrink = false;
  bool verbose = false;
  bool allow_incomplete = false;  ///< a run that was cut short may end with 0
  std::string report_directory;
  std::string format = "text";
};

/// All that `attestone score` takes.
struct ScoreWords {
  std::vector<std::string> judges, mutants;
  std::string suite;
  std::string report_directory;
  std::string format = "text";
};

/// All that `attestone bench` takes.
struct BenchWords : KernelWords {
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

}  // namespace attestone::inline conformance
