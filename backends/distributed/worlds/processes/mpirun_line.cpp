// SPDX-License-Identifier: Apache-2.0
// The options of Open MPI's mpirun, and where it and the ranks' program lie.
#include "backends/distributed/worlds/processes/mpirun_line.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

namespace attestone::inline backends {
namespace {

// More ranks than processors, which give way to each other, and are not pinned to one. Nothing leaves the machine, and
// nobody looks for others; nor does a rank read another one's memory, which not every system permits.
constexpr const char* options =
    "--oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca plm isolated --mca btl self,vader "
    "--mca btl_vader_single_copy_mechanism none --mca orte_base_help_aggregate 0";

std::string quoted_word(const std::string& word) {
  std::string all = "'";
  for (const char c : word)
    if (c == '\'')
      all.append("'\\''");
    else
      all.push_back(c);
  all.push_back('\'');
  return all;
}

}  // namespace

std::string rank_program_path() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&rank_program_path), &info);
  const auto folder = std::filesystem::canonical(info.dli_fname).parent_path();
  for (const char* place : {".", ATTESTONE_WORKER_FROM_LIBRARY})
    if (const auto path = folder / place / "attestone_rank"; std::filesystem::exists(path)) return path.string();
  return "";
}

bool has_mpirun() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/mpirun").c_str(), X_OK) == 0) return true;
  return false;
}

std::filesystem::path folder_of_ranks(const std::string& meeting_point) {
  constexpr std::size_t digits =
      16;  // of the random name; Open MPI adds to the path, and has room for a hundred letters
  return fmt::format("/dev/shm/attestone-{}-{}", getpid(), meeting_point.substr(meeting_point.size() - digits));
}

std::string mpirun_line(const RankJobSettings& settings, const std::string& meeting_point) {
  std::string words = fmt::format("{} {}", quoted_word(rank_program_path()), meeting_point);
  for (const std::string& library : settings.libraries) words += fmt::format(" {}", quoted_word(library));
  // mpirun and each rank look this machine's name up: where no file holds it, and no name server answers, not for long.
  return fmt::format(
      "mkdir -m 700 {0} && exec env RES_OPTIONS='timeout:1 attempts:1' OMP_NUM_THREADS=1 TMPDIR={0} "
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "mpirun --mca btl_vader_backing_directory {0} {1} -n {2} {3} </dev/null 2>&1",
      folder_of_ranks(meeting_point).string(), options, settings.ranks, words);
}

}  // namespace attestone::inline backends
