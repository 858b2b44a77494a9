// SPDX-License-Identifier: Apache-2.0
// An mpirun of our own with its ranks, below a keeper that leaves nothing of them behind.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backends/distributed/worlds/processes/meeting_point.hpp"
#include "backends/distributed/worlds/processes/rank_link.hpp"
#include "backends/distributed/worlds/processes/rank_standing.hpp"
#include "backends/kernel_fault.hpp"
#include "backends/plugins/process/call_watch.hpp"
#include "backends/plugins/process/worker_process.hpp"

namespace attestone::inline backends {

/// How ranks are started.
struct RankJobSettings {
  index ranks = 1;
  CallLimits limits = {};
  std::vector<std::string> libraries = {};  ///< paths: each rank loads them first, for methods that are not attestone's
};

/// Started by construction; ended, with everything that it started, by destruction.
class RankJob {
 public:
  /// Returns when every rank waits for calls. SystemFailure if they do not come, with what mpirun says.
  explicit RankJob(const RankJobSettings&);

  /// Requests for ranks 0, 1, ...; their answers. KernelFault if one does not answer in time, ends, or made a mistake.
  /// After any of these the job is of no more use.
  std::vector<Safetensors> call(const std::vector<Frame>& requests);

 private:
  void await_ranks();
  /// Everything that can happen: links of the first ranks, what is printed, the end of mpirun.
  void wait(const CallWatch&, std::size_t ranks, int others);
  /// Moves what can be moved, and notes the answers that are complete. KernelFault for a mistake, or a rank that is
  /// gone.
  void take(std::vector<std::optional<Safetensors>>& answers);
  void drain();
  /// A rank has gone: which one was first, and how.
  [[noreturn]] void throw_end(std::size_t ranks);
  /// Who waits for whom, if nobody does anything else.
  KernelFault hung(const KernelFault&, std::size_t ranks) const;
  RankStanding& standing(std::size_t rank) const;

  RankJobSettings settings_;
  SharedFile standings_;
  MeetingPoint meeting_point_;
  /// Removed when all that wrote to it have ended.
  struct Folder {
    std::filesystem::path path;
    ~Folder();
  } folder_;
  std::vector<RankLink> links_;
  std::unique_ptr<WorkerProcess> process_;
  std::string printed_;
};

/// The program that ranks are, beside the library or where it was installed; empty if attestone was built without MPI.
std::string rank_program_path();
/// True if there is an mpirun on this machine.
bool has_mpirun();

}  // namespace attestone::inline backends
