// SPDX-License-Identifier: Apache-2.0
// Looking for the library among the mapped files of processes.
#include "backends/plugins/process/own_library.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <sys/stat.h>

#include "backends/plugins/process/process_tree.hpp"

namespace attestone::inline backends {
namespace {

/// " 1234567 " and "libattestone.so.0.1.0": as a line of /proc/PID/maps holds both. Devices are numbered otherwise
/// there on some file systems.
struct MappedFile {
  std::string inode, name;
};

const MappedFile& own_library() {
  static const MappedFile own = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<const void*>(&own_library), &info);
    const std::filesystem::path path = std::filesystem::canonical(info.dli_fname);
    struct stat file {};
    stat(path.c_str(), &file);
    return MappedFile{fmt::format(" {} ", file.st_ino), path.filename()};
  }();
  return own;
}

}  // namespace

bool map_own_library(const std::vector<pid_t>& processes) {
  const auto maps_it = [&](pid_t process) {
    const std::string maps = proc_text(fmt::format("/proc/{}/maps", process));
    for (std::size_t at = 0; at < maps.size();) {
      const std::size_t end = std::min(maps.find('\n', at), maps.size());
      const std::string_view line = std::string_view(maps).substr(at, end - at);
      if (line.ends_with(own_library().name) && line.find(own_library().inode) != std::string_view::npos) return true;
      at = end + 1;
    }
    return false;
  };
  return std::ranges::any_of(processes, maps_it);
}

}  // namespace attestone::inline backends
