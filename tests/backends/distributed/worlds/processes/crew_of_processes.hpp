// SPDX-License-Identifier: Apache-2.0
// Real processes as ranks, for tests; and the wrong methods of tests/rank_programs/, here and in the ranks.
#pragma once

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "backends/distributed/worlds/processes/mpi_kernel.hpp"
#include "backends/distributed/worlds/processes/started_crew.hpp"
#include "tests/has_mpi.hpp"
#include "tests/places.hpp"
#include "tests/simulate/random_mesh.hpp"

namespace attestone {

inline std::string wrong_methods() {
  const std::string path = program_folder() + "/plugins/rank_programs.so";
  EXPECT_NE(dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  return path;
}

inline std::shared_ptr<RankCrew> crew_of(index ranks, double seconds = 60) {
  // How a rank ends is what the tests are about; MPI itself never gives back all of its memory.
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  RankJobSettings settings;
  settings.ranks = ranks;
  settings.limits.seconds = seconds;
  settings.libraries = {wrong_methods()};
  return std::make_shared<StartedCrew>(settings);
}

inline MpiKernel by_mpi(const std::string& method, const std::string& mesh, const std::shared_ptr<RankCrew>& crew,
                        const std::string& local = "flash") {
  return MpiKernel(method, local, mesh_of(mesh), crew);
}

}  // namespace attestone
