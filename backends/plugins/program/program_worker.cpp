// SPDX-License-Identifier: Apache-2.0
// Writing and reading at once, so that neither side waits for the other for ever.
#include "backends/plugins/program/program_worker.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/kernel_fault.hpp"
#include "backends/plugins/process/call_watch.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline backends {
namespace {

/// The first bytes as text, for a message; most mistakes here are prints.
std::string beginning(std::span<const std::byte> bytes) {
  constexpr std::size_t enough = 40;
  std::string text;
  for (const std::byte byte : bytes.first(std::min(enough, bytes.size()))) {
    const char c = static_cast<char>(byte);
    text += c >= ' ' && c <= '~' ? c : '.';
  }
  return text;
}

/// The words for a program that ended.
KernelFault ending(int status) {
  constexpr int from_a_shell = 128;  // shells report the signal that ended a command in this way
  const bool by_signal = WIFSIGNALED(status) || WEXITSTATUS(status) > from_a_shell;
  return {by_signal ? "crashed" : "exited", "ended by " + ending_text(status)};
}

/// Throws what a program sent before it was asked, if anything is waiting.
void expect_silence(int output) {
  pollfd event{output, POLLIN, 0};
  if (poll(&event, 1, 0) <= 0 || !(event.revents & POLLIN)) return;
  std::array<std::byte, 64> bytes;
  const ssize_t got = read(output, bytes.data(), bytes.size());
  if (got > 0)
    throw KernelFault("wrong-protocol", fmt::format("'{}' came before it was asked",
                                                    beginning(std::span(bytes).first(static_cast<std::size_t>(got)))));
}

}  // namespace

void FrameReader::take(std::span<const std::byte> more) {
  bytes_.insert(bytes_.end(), more.begin(), more.end());
  if (bytes_.size() < frame_size_bytes) return;
  const std::uint64_t size = frame_size(std::span(bytes_).first<frame_size_bytes>());
  if (size > most_bytes_)
    throw KernelFault("wrong-protocol", fmt::format("its answer begins with '{}', a size of {} bytes: {} are too many",
                                                    beginning(bytes_), size, size - most_bytes_));
  if (bytes_.size() > frame_size_bytes + size)
    throw KernelFault("wrong-protocol", fmt::format("'{}' follows its answer",
                                                    beginning(std::span(bytes_).subspan(frame_size_bytes + size))));
}

bool FrameReader::complete() const {
  return bytes_.size() >= frame_size_bytes &&
         bytes_.size() == frame_size_bytes + frame_size(std::span(bytes_).first<frame_size_bytes>());
}

std::vector<std::byte> FrameReader::content() const { return {bytes_.begin() + frame_size_bytes, bytes_.end()}; }

Safetensors ProgramWorker::ask(const Frame& request, std::uint64_t most_bytes) {
  try {
    if (!process_) process_ = std::make_unique<WorkerProcess>(WorkerProcess::Kind::program, line_);
    return Safetensors(exchange(request.bytes(), most_bytes), "its answer");
  } catch (const UserError& error) {
    process_.reset();
    throw KernelFault("wrong-protocol", error.what());
  } catch (const KernelFault&) {
    process_.reset();
    throw;
  }
}

std::vector<std::byte> ProgramWorker::exchange(std::span<const std::byte> request, std::uint64_t most_bytes) {
  const CallWatch watch(limits_, *process_, static_cast<index>(request.size() + most_bytes));
  pollfd events[] = {{process_->call(), POLLOUT, 0}, {process_->output(), POLLIN, 0}, {process_->keeper(), POLLIN, 0}};
  FrameReader answer(most_bytes);
  std::vector<std::byte> buffer(1 << 16);
  expect_silence(process_->output());
  while (!answer.complete()) {
    watch.wait(events);
    if (events[0].revents) {
      const ssize_t sent = send(process_->call(), request.data(), request.size(), MSG_NOSIGNAL);
      if (sent > 0) request = request.subspan(static_cast<std::size_t>(sent));
      if (sent < 0 || request.empty()) events[0].fd = -1;
    }
    if (events[1].revents) {
      const ssize_t got = read(process_->output(), buffer.data(), buffer.size());
      if (got > 0) answer.take(std::span(buffer).first(static_cast<std::size_t>(got)));
      if (got <= 0) events[1].fd = -1;
    } else if (events[2].revents) {
      if (const auto status = process_->ended()) throw ending(*status);
    }
  }
  uses_attestone_ = uses_attestone_ || process_->maps_own_library();
  return answer.content();
}

}  // namespace attestone::inline backends
