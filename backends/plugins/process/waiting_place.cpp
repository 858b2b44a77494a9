// SPDX-License-Identifier: Apache-2.0
// Reading /proc/PID/syscall.
#include "backends/plugins/process/waiting_place.hpp"

#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/plugins/protocol/wire.hpp"

namespace attestone::inline backends {
namespace {

constexpr int look_again_us = 50, looks = 40'000;  // two seconds

}  // namespace

WaitingPlace::WaitingPlace(pid_t worker)
    : file_(open(fmt::format("/proc/{}/syscall", worker).c_str(), O_RDONLY | O_CLOEXEC)) {
  const std::string waits = fmt::format("{} {:#x} ", SYS_recvmsg, wire::call_descriptor);
  for (int look = 0; look < looks; ++look) {
    const std::string text = now();
    if (text.empty()) return;
    if (text.starts_with(waits)) {
      place_ = text;
      return;
    }
    usleep(look_again_us);
  }
}

std::string WaitingPlace::now() const {
  std::array<char, 256> buffer;
  const ssize_t got = pread(file_.get(), buffer.data(), buffer.size(), 0);
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

bool WaitingPlace::is_there() const { return !is_known() || now() == place_; }

}  // namespace attestone::inline backends
