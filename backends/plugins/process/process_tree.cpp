// SPDX-License-Identifier: Apache-2.0
// Reading /proc.
#include "backends/plugins/process/process_tree.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "backends/plugins/process/descriptor.hpp"

namespace attestone::inline backends {
namespace {

/// The numbers that name entries of a folder.
std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(folder.c_str()), closedir);
  if (!directory) return all;
  while (const dirent* entry = readdir(directory.get()))
    if (const pid_t number = std::atoi(entry->d_name); number > 0) all.push_back(number);
  return all;
}

/// State and parent of a process or thread, from its stat; 'X' if it is gone.
struct ProcessState {
  char state = 'X';
  pid_t parent = 0;
};

ProcessState state_of(const std::string& folder) {
  ProcessState found;
  const std::string text = proc_text(folder + "/stat");
  // The name stands in parentheses and may hold anything, parentheses included.
  if (const std::size_t name = text.rfind(')'); name != std::string::npos)
    std::sscanf(text.c_str() + name + 1, " %c %d", &found.state, &found.parent);
  return found;
}

/// The threads of a process; without a look into the folder if there is but one.
std::vector<pid_t> threads_of(pid_t process) {
  const std::string folder = fmt::format("/proc/{}/task", process);
  struct stat entry {};
  constexpr nlink_t of_one_thread = 3;  // ".", ".." and the thread
  if (stat(folder.c_str(), &entry) == 0 && entry.st_nlink == of_one_thread) return {process};
  return numbers_in(folder);
}

/// True if the system lists the children of each thread.
bool lists_children() {
  static const bool does = access(fmt::format("/proc/self/task/{}/children", gettid()).c_str(), R_OK) == 0;
  return does;
}

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> all;
  for (const pid_t thread : threads_of(process)) {
    const std::string text = proc_text(fmt::format("/proc/{}/task/{}/children", process, thread));
    for (const char* at = text.c_str(); *at;) {
      char* end = nullptr;
      const auto child = static_cast<pid_t>(std::strtol(at, &end, 10));
      if (end == at) break;
      all.push_back(child);
      at = end + std::strspn(end, " \n");
    }
  }
  return all;
}

/// True if an open file has no place on a disk: memfd_create, /dev/shm.
bool lies_in_memory(const std::string& descriptor) {
  std::array<char, 16> target{};
  const ssize_t length = readlink(descriptor.c_str(), target.data(), target.size());
  if (length < 0) return false;
  const std::string_view begins(target.data(), static_cast<std::size_t>(length));
  return begins.starts_with("/memfd:") || begins.starts_with("/dev/shm/");
}

struct FileSystem {
  dev_t device = 0;
  index taken_bytes = 0;
};

/// The /dev/shm that these processes have for themselves; nothing if it is everybody's.
std::optional<FileSystem> own_shared_memory(const std::vector<pid_t>& processes) {
  struct stat ours {
  }, theirs{};
  if (processes.empty() || stat("/dev/shm", &ours) != 0) return std::nullopt;
  for (const pid_t process : processes) {
    const std::string path = fmt::format("/proc/{}/root/dev/shm", process);
    struct statfs taken {};
    if (stat(path.c_str(), &theirs) != 0 || statfs(path.c_str(), &taken) != 0) continue;
    if (theirs.st_dev == ours.st_dev) return std::nullopt;
    return FileSystem{theirs.st_dev, static_cast<index>(taken.f_blocks - taken.f_bfree) * taken.f_bsize};
  }
  return std::nullopt;
}

/// The children of all processes at once.
std::multimap<pid_t, pid_t> all_children() {
  std::multimap<pid_t, pid_t> all;
  for (const pid_t process : numbers_in("/proc"))
    all.emplace(state_of(fmt::format("/proc/{}", process)).parent, process);
  return all;
}

}  // namespace

std::string proc_text(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t got = 0; file.get() >= 0 && (got = read(file.get(), buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  return text;
}

std::vector<pid_t> descendants_of(pid_t ancestor) {
  std::multimap<pid_t, pid_t> known;
  if (!lists_children()) known = all_children();
  std::vector<pid_t> all{ancestor};
  for (std::size_t next = 0; next < all.size(); ++next) {
    if (lists_children()) {
      for (const pid_t child : children_of(all[next])) all.push_back(child);
    } else {
      const auto [begin, end] = known.equal_range(all[next]);
      for (auto child = begin; child != end; ++child) all.push_back(child->second);
    }
  }
  all.erase(all.begin());
  return all;
}

bool lives(pid_t process) {
  const char state = state_of(fmt::format("/proc/{}", process)).state;
  return state != 'X' && state != 'Z';
}

index resident_bytes(const std::vector<pid_t>& processes) {
  index pages = 0;
  for (const pid_t process : processes) {
    long long all_pages = 0, resident_pages = 0;
    const std::string text = proc_text(fmt::format("/proc/{}/statm", process));
    if (std::sscanf(text.c_str(), "%lld %lld", &all_pages, &resident_pages) == 2) pages += resident_pages;
  }
  return pages * sysconf(_SC_PAGESIZE);
}

index memory_file_bytes(const std::vector<pid_t>& processes) {
  constexpr index block = 512;
  const std::optional<FileSystem> own = own_shared_memory(processes);
  std::map<std::pair<dev_t, ino_t>, index> open_files;
  for (const pid_t process : processes) {
    const std::string folder = fmt::format("/proc/{}/fd", process);
    for (const pid_t descriptor : numbers_in(folder)) {
      const std::string path = fmt::format("{}/{}", folder, descriptor);
      struct stat file {};
      if (lies_in_memory(path) && stat(path.c_str(), &file) == 0 && !(own && own->device == file.st_dev))
        open_files[{file.st_dev, file.st_ino}] = file.st_blocks * block;
    }
  }
  index bytes = own ? own->taken_bytes : 0;
  for (const auto& [file, its_bytes] : open_files) bytes += its_bytes;
  return bytes;
}

index proportional_bytes(const std::vector<pid_t>& processes) {
  constexpr index kibibyte = 1024;
  index bytes = 0, of_shared_memory = 0;
  for (const pid_t process : processes) {
    const std::string text = proc_text(fmt::format("/proc/{}/smaps_rollup", process));
    const auto figure = [&](const std::string& name) -> std::optional<index> {
      const std::size_t at = text.find('\n' + name);
      if (at == std::string::npos) return std::nullopt;
      return std::atoll(text.c_str() + at + 1 + name.size()) * kibibyte;
    };
    bytes += figure("Pss:").value_or(resident_bytes({process}));
    of_shared_memory += figure("Pss_Shmem:").value_or(0);
  }
  // Mapped pages of such files are among the figures already.
  return bytes + std::max<index>(memory_file_bytes(processes) - of_shared_memory, 0);
}

OtherThreads other_threads(pid_t process) {
  OtherThreads all;
  for (const pid_t thread : threads_of(process)) {
    if (thread == process) continue;
    ++all.count;
    const std::string folder = fmt::format("/proc/{}/task/{}", process, thread);
    all.processor += std::chrono::nanoseconds(std::atoll(proc_text(folder + "/schedstat").c_str()));
    all.runs = all.runs || state_of(folder).state == 'R';
  }
  return all;
}

}  // namespace attestone::inline backends
