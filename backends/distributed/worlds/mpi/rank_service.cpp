// SPDX-License-Identifier: Apache-2.0
// Meeting the judge, and one call after the other.
#include "backends/distributed/worlds/mpi/rank_service.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "backends/distributed/worlds/mpi/rank_work.hpp"
#include "backends/distributed/worlds/processes/meeting_point.hpp"
#include "backends/plugins/program/program_worker.hpp"

namespace attestone::inline backends {
namespace {

RankStanding* own_standing = nullptr;

/// mpirun ends all ranks where one has ended: those that are told so are not the one.
void go_away(int) {
  if (own_standing) own_standing->set(RankStanding::told_away);
  _exit(EXIT_FAILURE);
}

/// The descriptor that comes with one byte; none if none does.
Descriptor handed_over(int socket) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data, message.msg_iovlen = 1;
  message.msg_control = control, message.msg_controllen = sizeof control;
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1) return {};
  const cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  if (!rights || rights->cmsg_type != SCM_RIGHTS) return {};
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(rights), sizeof descriptor);
  return Descriptor(descriptor);
}

/// The judge's next request; nothing when it has hung up. Waits asleep.
std::vector<std::byte> next_request(int socket) {
  FrameReader reader(std::numeric_limits<std::uint64_t>::max());
  std::vector<std::byte> buffer(1 << 16);
  while (!reader.complete()) {
    const ssize_t got = recv(socket, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    reader.take(std::span(buffer).first(static_cast<std::size_t>(got)));
  }
  return reader.content();
}

bool send_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

int serve_as_rank(const std::string& meeting_point) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const Descriptor judge = meet(meeting_point);
  const std::int64_t number = rank;
  if (judge.get() < 0 || !send_all(judge.get(), std::as_bytes(std::span(&number, 1)))) return EXIT_FAILURE;
  const Descriptor shared = handed_over(judge.get());
  void* const board = mmap(nullptr, static_cast<std::size_t>(ranks) * sizeof(RankStanding), PROT_READ | PROT_WRITE,
                           MAP_SHARED, shared.get(), 0);
  if (board == MAP_FAILED) return EXIT_FAILURE;
  own_standing = static_cast<RankStanding*>(board) + rank;
  std::signal(SIGTERM, go_away);
  for (;;) {
    std::vector<std::byte> request = next_request(judge.get());
    if (request.empty()) return EXIT_SUCCESS;
    const Safetensors read(std::move(request), "the judge's request");
    if (!send_all(judge.get(), answer_of(read, MPI_COMM_WORLD, rank, *own_standing).bytes())) return EXIT_SUCCESS;
  }
}

}  // namespace attestone::inline backends
