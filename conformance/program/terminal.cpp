// SPDX-License-Identifier: Apache-2.0
// Progress, Ctrl-C and crashes.
#include "conformance/program/terminal.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

#include "conformance/run/exit_status.hpp"

namespace attestone::inline conformance {
namespace {

// What a signal handler may touch: plain memory only. A thread that judges dies in the case that it began itself, any
// other thread in the one that was begun last.
using CaseText = std::array<char, 1024>;
CaseText last_begun{};
thread_local CaseText begun_here{};

const char* current_case() { return begun_here[0] ? begun_here.data() : last_begun.data(); }

void write_text(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) _exit(3);
}

/// A bundled kernel, which is called in this process, or the judge brought it down; kernels behind a door cannot. Say
/// in which case, and die of the same signal.
void report_crash(int signal) {
  write_text("\nattestone crashed, in a kernel of its own or in its judge, at\n  ");
  write_text(current_case());
  write_text("\n");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// A library that aborts has said why: libomp does where the system denies it a thread. No kernel is accused of that.
void report_abort(int) {
  write_text("\nattestone: a library gave up, as it says above: nothing was judged in\n  ");
  write_text(current_case());
  write_text("\n");
  _exit(static_cast<int>(ExitStatus::internal_error));
}

constexpr std::size_t line_width = 110;

}  // namespace

bool wants_colour() { return isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR"); }

Progress::Progress() : visible_(isatty(STDERR_FILENO)) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, report_crash);
  std::signal(SIGABRT, report_abort);
}

Progress::~Progress() {
  clear();
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, SIG_DFL);
}

void Progress::show(const std::string& line, const std::string& current) {
  for (CaseText* text : {&last_begun, &begun_here}) {
    const std::size_t length = std::min(current.size(), text->size() - 1);
    std::copy_n(current.begin(), length, text->begin());
    (*text)[length] = '\0';
  }
  if (!visible_) return;
  fmt::print(stderr, "\r\033[K{}", line.substr(0, line_width));
  shown_ = true;
}

void Progress::clear() {
  if (shown_.exchange(false)) fmt::print(stderr, "\r\033[K");
}

void Progress::tell(const std::string& lines) {
  if (visible_) fmt::print(stderr, "\r\033[K{}\n", lines);
}

}  // namespace attestone::inline conformance
