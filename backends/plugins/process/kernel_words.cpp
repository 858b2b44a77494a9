// SPDX-License-Identifier: Apache-2.0
// Reading lines, and showing them while there is room.
#include "backends/plugins/process/kernel_words.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "reference/printable.hpp"

namespace attestone::inline backends {
namespace {

/// The bytes that were shown, of all kernels of this process.
std::atomic<std::size_t> shown_bytes = 0;

void write_whole(const std::string& line) { fmt::print(stderr, "{}", line); }

}  // namespace

KernelWords::KernelWords(Descriptor pipe) : pipe_(std::move(pipe)) {
  fcntl(pipe_.get(), F_SETFL, fcntl(pipe_.get(), F_GETFL) | O_NONBLOCK);
  std::tie(stop_, its_stop_) = one_way_pair();
  listener_ = std::thread([this] { listen(); });
}

KernelWords::~KernelWords() {
  its_stop_.close();
  listener_.join();
}

void KernelWords::listen() {
  pollfd events[] = {{pipe_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
  int last_looks = 16;  // of what had come when it was to stop: a pipe holds no more
  while (last_looks > 0) {
    poll(events, 2, -1);
    if (events[1].revents) --last_looks;
    if (!hear()) break;
  }
  if (!line_.empty()) show_line();
}

bool KernelWords::hear() {
  std::array<char, 4096> buffer;
  const ssize_t got = read(pipe_.get(), buffer.data(), buffer.size());
  for (ssize_t at = 0; at < got; ++at) {
    const char c = buffer[static_cast<std::size_t>(at)];
    const bool ends = c == '\n' || c == '\r';
    if (!ends) line_ += c;
    if ((ends && !line_.empty()) || line_.size() == longest_line) show_line();
  }
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void KernelWords::show_line() {
  const std::string line = fmt::format("{}{}\n", mark, printable(std::exchange(line_, {}), "?"));
  const std::size_t before = shown_bytes.fetch_add(line.size());
  if (before + line.size() <= most_bytes)
    write_whole(line);
  else if (before <= most_bytes)
    write_whole(fmt::format("{}... (what else kernels write to standard error is not shown)\n", mark));
}

}  // namespace attestone::inline backends
