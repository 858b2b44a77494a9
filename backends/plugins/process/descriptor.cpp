// SPDX-License-Identifier: Apache-2.0
// Making and closing descriptors; none is inherited by accident.
#include "backends/plugins/process/descriptor.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "reference/system_failure.hpp"

namespace attestone::inline backends {
namespace {

// Above those numbers that a child finds its ends at, so that moving one there overwrites no other.
constexpr int least_number = 16;

[[noreturn]] void fail(const std::string& what) { throw SystemFailure(what + ": " + strerror(errno)); }

/// The descriptor moved out of the way.
Descriptor moved_up(int number) {
  const Descriptor low(number);
  const int high = fcntl(number, F_DUPFD_CLOEXEC, least_number);
  if (high < 0) fail("duplicating a descriptor");
  return Descriptor(high);
}

}  // namespace

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

std::pair<Descriptor, Descriptor> connected_pair(int type) {
  int ends[2];
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) fail("making a channel");
  return {moved_up(ends[0]), moved_up(ends[1])};
}

std::pair<Descriptor, Descriptor> one_way_pair() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("making a pipe");
  return {moved_up(ends[0]), moved_up(ends[1])};
}

}  // namespace attestone::inline backends
