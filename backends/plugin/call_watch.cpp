// SPDX-License-Identifier: Apache-2.0
// Looking at the clock and into /proc, every few milliseconds.
#include "backends/plugin/call_watch.hpp"

#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

#include "backends/kernel_fault.hpp"

namespace attestone {
namespace {

constexpr int glance_ms = 10;
constexpr index mebibyte = 1 << 20;

/// 0 if the process is gone.
index resident_bytes(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/statm", process));
  index all_pages = 0, resident_pages = 0;
  file >> all_pages >> resident_pages;
  return file ? resident_pages * sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace

index CallLimits::half_of_memory() { return index{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) / 2; }

CallWatch::CallWatch(const CallLimits& limits, pid_t process, index shared_bytes)
    : limits_(limits), process_(process), shared_bytes_(shared_bytes) {}

void CallWatch::wait(std::span<pollfd> events) const {
  while (poll(events.data(), events.size(), glance_ms) <= 0) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    if (spent.count() > limits_.seconds)
      throw KernelFault("hung", fmt::format("did not answer within {:g} s", limits_.seconds));
    if (resident_bytes(process_) > limits_.resident_bytes + shared_bytes_)
      throw KernelFault("too-much-memory", fmt::format("its process grew beyond {} MiB, the tensors not counted",
                                                       limits_.resident_bytes / mebibyte));
  }
}

}  // namespace attestone
