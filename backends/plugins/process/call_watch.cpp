// SPDX-License-Identifier: Apache-2.0
// Looking at the clock and into /proc, every few milliseconds.
#include "backends/plugins/process/call_watch.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "backends/kernel_fault.hpp"
#include "backends/plugins/process/process_tree.hpp"
#include "backends/stop_request.hpp"

namespace attestone::inline backends {
namespace {

constexpr int glance_ms = 10;
constexpr index mebibyte = 1 << 20;

}  // namespace

index CallLimits::half_of_memory() { return index{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) / 2; }

CallWatch::CallWatch(const CallLimits& limits, const WorkerProcess& process, index shared_bytes)
    : limits_(limits), root_(process.all().front()), shared_bytes_(shared_bytes) {}

void CallWatch::wait(std::span<pollfd> events) const {
  while (!wait(events, glance_ms)) continue;
}

bool CallWatch::wait(std::span<pollfd> events, int milliseconds) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    const int now_ms = static_cast<int>(std::clamp<decltype(left)>(left, 0, glance_ms));
    if (poll(events.data(), events.size(), now_ms) > 0) return true;
    look();
    if (left <= glance_ms) return false;
  }
}

void CallWatch::look() const {
  if (stop_is_asked()) throw Stopped();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  if (spent.count() > limits_.seconds)
    throw KernelFault("hung", fmt::format("did not answer within {:g} s", limits_.seconds));
  const index most = limits_.resident_bytes + shared_bytes_;
  const std::vector<pid_t> processes = descendants_of(root_);
  // The exact figure is slow to come by, and needed only where this one is too large.
  if (resident_bytes(processes) + memory_file_bytes(processes) > most && proportional_bytes(processes) > most)
    throw KernelFault("too-much-memory",
                      fmt::format("its processes grew beyond {} MiB together, the tensors not counted",
                                  limits_.resident_bytes / mebibyte));
}

}  // namespace attestone::inline backends
