// SPDX-License-Identifier: Apache-2.0
// Namespaces, capabilities, descriptors.
#include "backends/plugins/worker/confinement.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attestone::inline backends::worker {
namespace {

// Capabilities that a kernel may need as root: other users' files, pinned memory, affinity.
constexpr int kept_capabilities[] = {CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER,
                                     CAP_FSETID, CAP_IPC_LOCK,     CAP_SYS_NICE};

bool write_text(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const auto size = static_cast<ssize_t>(std::strlen(text));
  const bool done = write(file, text, static_cast<std::size_t>(size)) == size;
  close(file);
  return done;
}

/// In a new user namespace: the same user and group as before, and no other.
bool keep_ids(uid_t user, gid_t group) {
  char users[64], groups[64];
  std::snprintf(users, sizeof users, "%u %u 1", user, user);
  std::snprintf(groups, sizeof groups, "%u %u 1", group, group);
  return write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", users) &&
         write_text("/proc/self/gid_map", groups);
}

bool mount_own_proc() {
  return mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0 &&
         mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
}

/// Makes files read-only in this world, or nothing, through which root could change the whole system.
void close_settings() {
  for (const char* settings : {"/proc/sys", "/sys", "/sys/fs/cgroup"})
    if (mount(settings, settings, nullptr, MS_BIND, nullptr) == 0)
      mount(nullptr, settings, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
  for (const char* file : {"/proc/sysrq-trigger", "/proc/kmsg", "/dev/kmsg"})
    mount("/dev/null", file, nullptr, MS_BIND, nullptr);
}

/// Shared memory of this world alone, which vanishes with it. Where there is none to hide, none is made.
void mount_own_shared_memory() { mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"); }

/// The step that the system refuses to the first process of new namespaces.
wire::Refusal refused_to_first(bool has_new_user, uid_t user, gid_t group) {
  if (has_new_user && !keep_ids(user, group)) return {wire::Step::ids, errno};
  if (!mount_own_proc()) return {wire::Step::mounts, errno};
  return {};
}

/// Forks, with new namespaces.
pid_t fork_with(int flags) {
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD | flags, nullptr, nullptr, nullptr, 0));
}

/// Waits for the child and ends as it did. It holds nothing that anybody waits for the end of.
[[noreturn]] void end_with(pid_t child) {
  for (int descriptor = 0; descriptor <= 4; ++descriptor)
    if (descriptor != STDERR_FILENO) close(descriptor);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace

wire::Refusal fork_into_own_processes() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  wire::Refusal refused;
  constexpr int world = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC;
  for (const int flags : {world, world | CLONE_NEWUSER}) {
    refused = {wire::Step::namespaces, 0};
    int answer[2];
    if (pipe2(answer, O_CLOEXEC) != 0) return {wire::Step::namespaces, errno};
    const pid_t child = fork_with(flags);
    if (child < 0) refused.error = errno;
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      refused = refused_to_first((flags & CLONE_NEWUSER) != 0, user, group);
      const bool told = write(answer[1], &refused, sizeof refused) == static_cast<ssize_t>(sizeof refused);
      if (!told || refused.step != wire::Step::done) std::_Exit(EXIT_FAILURE);
      close_settings();
      mount_own_shared_memory();
      close(answer[0]), close(answer[1]);
      return refused;
    }
    close(answer[1]);
    while (read(answer[0], &refused, sizeof refused) < 0 && errno == EINTR) continue;
    close(answer[0]);
    if (refused.step == wire::Step::done) end_with(child);
    while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  return refused;
}

bool drop_privileges() {
  std::uint64_t kept = 0;
  for (const int capability : kept_capabilities) kept |= std::uint64_t{1} << capability;
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability)
    if (!(kept >> capability & 1)) prctl(PR_CAPBSET_DROP, capability);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  if (syscall(SYS_capget, &header, sets) != 0) return false;
  for (int word = 0; word < 2; ++word) {
    sets[word].permitted &= static_cast<std::uint32_t>(kept >> (32 * word));
    sets[word].effective &= sets[word].permitted;
    sets[word].inheritable = 0;
  }
  return syscall(SYS_capset, &header, sets) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

bool settings_are_closed() {
  struct stat nothing {};
  if (stat("/dev/null", &nothing) != 0) return false;
  const auto is_open = [&](const char* path) {
    struct stat file {};
    return access(path, W_OK) == 0 && stat(path, &file) == 0 && file.st_rdev != nothing.st_rdev;
  };
  return !is_open("/proc/sys/kernel/core_pattern") && !is_open("/proc/sys/vm/drop_caches") &&
         !is_open("/proc/sysrq-trigger") && !is_open("/dev/kmsg");
}

bool close_descriptors_from(int first) {
#if defined(SYS_close_range)
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return true;
#endif
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  constexpr rlim_t enough = 1 << 20;
  for (rlim_t descriptor = static_cast<rlim_t>(first); descriptor < limit.rlim_cur && descriptor < enough; ++descriptor)
    close(static_cast<int>(descriptor));
  return limit.rlim_cur <= enough;
}

}  // namespace attestone::inline backends::worker
