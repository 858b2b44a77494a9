// SPDX-License-Identifier: Apache-2.0
// Greeting a rank, and moving bytes without waiting.
#include "backends/distributed/worlds/processes/rank_link.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backends/kernel_fault.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline backends {
namespace {

constexpr int patience_with_greeting_s = 2;

/// One byte, and with it a descriptor.
bool hand_over(int socket, int descriptor) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data, message.msg_iovlen = 1;
  message.msg_control = control, message.msg_controllen = sizeof control;
  cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET, rights->cmsg_type = SCM_RIGHTS, rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

bool would_block() { return errno == EAGAIN || errno == EINTR; }

}  // namespace

std::optional<index> RankLink::greet(const Descriptor& come, const SharedFile& shared) {
  const timeval patience{patience_with_greeting_s, 0};
  setsockopt(come.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::int64_t rank = -1;
  if (recv(come.get(), &rank, sizeof rank, MSG_WAITALL) != static_cast<ssize_t>(sizeof rank)) return std::nullopt;
  if (!hand_over(come.get(), shared.descriptor())) return std::nullopt;
  return rank;
}

void RankLink::connect(Descriptor come) {
  fcntl(come.get(), F_SETFL, fcntl(come.get(), F_GETFL) | O_NONBLOCK);
  socket_ = std::move(come);
}

void RankLink::begin(std::vector<std::byte> request) {
  request_ = std::move(request), sent_ = 0;
  answer_.emplace(std::numeric_limits<std::uint64_t>::max());
}

short RankLink::events() const { return sent_ < request_.size() ? POLLIN | POLLOUT : POLLIN; }

bool RankLink::has_hung_up() const {
  char byte = 0;
  return is_connected() && recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0 && !would_block();
}

bool RankLink::go_on() { return write_some() && read_some(); }

bool RankLink::write_some() {
  while (sent_ < request_.size()) {
    const ssize_t wrote = send(socket_.get(), request_.data() + sent_, request_.size() - sent_, MSG_NOSIGNAL);
    if (wrote < 0) return would_block();
    sent_ += static_cast<std::size_t>(wrote);
  }
  return true;
}

bool RankLink::read_some() {
  std::vector<std::byte> buffer(1 << 16);
  while (!answer_->complete()) {
    const ssize_t got = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (got < 0) return would_block();
    if (got == 0) return false;
    answer_->take(std::span(buffer).first(static_cast<std::size_t>(got)));
  }
  return true;
}

Safetensors RankLink::answer() try {
  return Safetensors(std::exchange(answer_, std::nullopt)->content(), "its answer");
} catch (const UserError& error) {
  throw KernelFault("wrong-protocol", error.what());
}

}  // namespace attestone::inline backends
