// SPDX-License-Identifier: Apache-2.0
// Abstract sockets of Linux.
#include "backends/distributed/worlds/processes/meeting_point.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "reference/system_failure.hpp"

namespace attestone::inline backends {
namespace {

struct Address {
  explicit Address(const std::string& name) {
    socket.sun_family = AF_UNIX;  // a name that begins with a zero lies in no folder
    name.copy(socket.sun_path + 1, sizeof socket.sun_path - 1);
    bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&socket); }

  sockaddr_un socket{};
  socklen_t bytes;
};

std::string random_name() {
  std::uint64_t words[2];
  if (getrandom(words, sizeof words, 0) != static_cast<ssize_t>(sizeof words))
    throw SystemFailure(fmt::format("drawing a name: {}", strerror(errno)));
  return fmt::format("attestone-{:016x}{:016x}", words[0], words[1]);
}

}  // namespace

MeetingPoint::MeetingPoint()
    : name_(random_name()), socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  const Address address(name_);
  if (socket_.get() < 0 || bind(socket_.get(), address.get(), address.bytes) != 0 ||
      listen(socket_.get(), SOMAXCONN) != 0)
    throw SystemFailure(fmt::format("opening a socket: {}", strerror(errno)));
}

std::optional<Descriptor> MeetingPoint::next() {
  for (;;) {
    Descriptor come(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (come.get() < 0) return std::nullopt;
    ucred user{};
    socklen_t size = sizeof user;
    if (getsockopt(come.get(), SOL_SOCKET, SO_PEERCRED, &user, &size) == 0 && user.uid == geteuid()) return come;
  }
}

Descriptor meet(const std::string& name) {
  const Address address(name);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0 || connect(socket.get(), address.get(), address.bytes) != 0) return {};
  return socket;
}

}  // namespace attestone::inline backends
