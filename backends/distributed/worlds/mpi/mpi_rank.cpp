// SPDX-License-Identifier: Apache-2.0
// Resuming what is ready, and waiting for MPI when nothing is.
#include "backends/distributed/worlds/mpi/mpi_rank.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "backends/kernel_fault.hpp"

namespace attestone::inline backends {
namespace {

constexpr int head_tag = 0;

void check(int error, const char* what) {
  if (error == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(error, text, &length);
  throw KernelFault("crashed", fmt::format("{}: {}", what, text));
}

}  // namespace

MpiRank::MpiRank(MPI_Comm communicator, index rank, RankStanding& standing)
    : PostingTransport(rank), communicator_(communicator), standing_(standing) {
  await_head();
}

MpiRank::~MpiRank() {
  over_ = true;
  for (std::size_t at = 0; at < handles_.size(); ++at) {
    if (underway_[at].kind == Underway::head_comes) MPI_Cancel(&handles_[at]);
    if (underway_[at].kind == Underway::head_comes || underway_[at].kind == Underway::head_leaves)
      MPI_Wait(&handles_[at], MPI_STATUS_IGNORE);
  }
}

void MpiRank::note(const KernelFault& fault) {
  if (!failure_) failure_ = std::make_exception_ptr(fault);
}

void MpiRank::dropped(std::coroutine_handle<> task, std::exception_ptr failure) noexcept {
  std::erase(ready_, task);
  if (over_) {
    if (!unheard_) unheard_ = failure;
  } else if (std::uncaught_exceptions() > 0) {
    return;
  } else if (!failure) {
    note({"task-not-awaited", "it drops a task that has not ended"});
  } else if (!failure_) {
    failure_ = failure;
  }
}

void MpiRank::run(Task<> program) {
  program.start(*this);
  try {
    go_on(program);
  } catch (...) {
    over_ = true;
    { const Task<> ended = std::move(program); }
    // Whoever waits for a task that has failed, but not yet, stands still: the failure says more.
    if (unheard_ && !failure_) std::rethrow_exception(unheard_);
    throw;
  }
}

void MpiRank::go_on(Task<>& program) {
  for (;;) {
    while (!ready_.empty()) {
      const std::coroutine_handle<> next = ready_.front();
      ready_.pop_front();
      next.resume();
      if (failure_) std::rethrow_exception(failure_);
    }
    if (program.ended()) break;
    wait_for_some();
  }
  program.result();
  look_at_what_is_left();
}

index MpiRank::post_send(index to, const Signature& signature, std::span<const ConstView> views) {
  Message message = sending(to, signature, views);
  message.number = sent_++;
  const int peer = static_cast<int>(to), bytes = mpi_count(message.payload.size());
  auto head = std::make_unique<MessageHead>(head_of(message));
  MPI_Request handle = MPI_REQUEST_NULL;
  check(MPI_Isend(head.get(), sizeof *head, MPI_BYTE, peer, head_tag, communicator_, &handle), "sending a head");
  handles_.push_back(handle);
  underway_.push_back({Underway::head_leaves, -1, std::move(head)});
  check(MPI_Issend(message.payload.data(), bytes, MPI_BYTE, peer, payload_tag(message), communicator_, &handle),
        "sending a payload");
  handles_.push_back(handle);
  underway_.push_back({Underway::payload_leaves, posted_last(), nullptr, std::move(message)});
  return posted_last();
}

index MpiRank::post_receive(index from, const Signature& signature, std::span<const View> views) {
  std::optional<Message> message = receiving(from, signature, views);
  const index request = posted_last();
  if (message) await_payload(std::move(*message), request);
  return request;
}

void MpiRank::await_head() {
  auto head = std::make_unique<MessageHead>();
  MPI_Request handle = MPI_REQUEST_NULL;
  check(MPI_Irecv(head.get(), sizeof *head, MPI_BYTE, MPI_ANY_SOURCE, head_tag, communicator_, &handle),
        "receiving a head");
  handles_.push_back(handle);
  underway_.push_back({Underway::head_comes, -1, std::move(head)});
}

void MpiRank::await_payload(Message message, index request) {
  if (const Posted* const posted = found(request)) check_agreement(message, *posted);
  message.payload.resize(static_cast<std::size_t>(payload_bytes(message)));
  MPI_Request handle = MPI_REQUEST_NULL;
  check(MPI_Irecv(message.payload.data(), mpi_count(message.payload.size()), MPI_BYTE, static_cast<int>(message.source),
                  payload_tag(message), communicator_, &handle),
        "receiving a payload");
  handles_.push_back(handle);
  underway_.push_back({Underway::payload_comes, request, nullptr, std::move(message)});
}

void MpiRank::wait_for_some() {
  standing_.wait_for(waiting_text());
  std::vector<int> places(handles_.size());
  std::vector<MPI_Status> statuses(handles_.size());
  int count = 0;
  check(MPI_Waitsome(static_cast<int>(handles_.size()), handles_.data(), &count, places.data(), statuses.data()),
        "waiting for messages");
  standing_.set(RankStanding::works);
  std::vector<Underway> done;
  for (int i = 0; i < count; ++i) done.push_back(std::move(underway_[static_cast<std::size_t>(places[i])]));
  for (std::size_t at = handles_.size(); at-- > 0;)
    if (handles_[at] == MPI_REQUEST_NULL) {
      handles_.erase(handles_.begin() + static_cast<std::ptrdiff_t>(at));
      underway_.erase(underway_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  for (std::size_t i = 0; i < done.size(); ++i) completed(std::move(done[i]), statuses[i]);
}

void MpiRank::completed(Underway one, const MPI_Status& status) {
  switch (one.kind) {
    case Underway::head_comes: {
      await_head();
      Message message = message_of(*one.head, status.MPI_SOURCE, rank(), places_);
      if (const auto request = arrived(message)) await_payload(std::move(message), *request);
      break;
    }
    case Underway::payload_comes:
      take_payload(std::move(one.message), one.request);
      break;
    case Underway::payload_leaves:
      if (Posted* const posted = found(one.request)) finish(*posted);
      break;
    case Underway::head_leaves:
      break;
  }
}

void MpiRank::take_payload(Message message, index request) {
  if (checksum_of(message) != message.checksum)
    throw KernelFault("corrupted-message",
                      fmt::format("{}, sent by rank {} at {}, came with other bits", message.signature.text(),
                                  message.source, message.signature.where.text()));
  if (Posted* const posted = found(request)) take(message, *posted);
}

std::string MpiRank::waiting_text() const {
  for (const auto& [number, posted] : posted())
    if (posted.waiting && !posted.finished) return "waits for " + posted.text();
  return "waits for no message";
}

void MpiRank::look_at_what_is_left() const {
  for (const auto& [number, posted] : posted()) {
    if (posted.waiting)
      throw KernelFault("task-not-awaited", "it ended before a task of its own, which " + waiting_text());
    throw KernelFault("request-not-awaited", "it never awaits " + posted.text());
  }
  for (const auto& [name, channel] : channels())
    for (const auto& [sequence, message] : channel.left())
      throw KernelFault("lost-message",
                        fmt::format("it has ended without receiving {}, sent by rank {} at {}",
                                    message.signature.text(), message.source, message.signature.where.text()));
}

}  // namespace attestone::inline backends
