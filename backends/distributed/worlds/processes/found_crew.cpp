// SPDX-License-Identifier: Apache-2.0
// Loading the module, which lies beside the library.
#include "backends/distributed/worlds/processes/found_crew.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>

#include "reference/system_failure.hpp"

namespace attestone::inline backends {
namespace {

template <class Function>
Function* function_of_module(const char* name) {
  // Open MPI loads parts of its own, which look for the rest of it.
  void* const module = dlopen(mpi_module_path().c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* const function = module ? dlsym(module, name) : nullptr;
  if (!function) throw SystemFailure(fmt::format("loading MPI: {}", dlerror()));
  return reinterpret_cast<Function*>(function);
}

}  // namespace

std::optional<FoundRank> found_rank() {
  const char *const rank = std::getenv("OMPI_COMM_WORLD_RANK"), *const ranks = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (!rank || !ranks) return std::nullopt;
  return FoundRank{std::atoll(rank), std::atoll(ranks)};
}

std::string mpi_module_path() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&mpi_module_path), &info);
  const auto path = std::filesystem::canonical(info.dli_fname).parent_path() / "libattestone_mpi.so";
  return std::filesystem::exists(path) ? path.string() : "";
}

std::shared_ptr<RankCrew> found_crew() {
  return std::shared_ptr<RankCrew>(function_of_module<decltype(attestone_mpi_crew)>("attestone_mpi_crew")());
}

void serve_found_crew() { function_of_module<decltype(attestone_mpi_serve)>("attestone_mpi_serve")(); }

}  // namespace attestone::inline backends
