// SPDX-License-Identifier: Apache-2.0
// Errors into statuses, and the last look at standard output.
#include "conformance/program/ending.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <new>
#include <system_error>
#include <unistd.h>

#include "conformance/trial/blame.hpp"
#include "reference/system_failure.hpp"

namespace attestone::inline conformance {
namespace {

bool in_a_command = false;

/// A library that gives up calls exit(1), which would say that a kernel does not conform: libgomp does where the system
/// denies it a thread.
void end_as_denied() {
  if (!in_a_command) return;
  say("attestone: a library gave up, as it says above: nothing was judged\n");
  _exit(static_cast<int>(ExitStatus::internal_error));
}

/// A descriptor that was closed is taken by the next file that is opened, which would then hold what was printed. One
/// of /dev/null takes its place; nothing can be written to that of standard output.
void take_closed_descriptors() {
  for (const auto& [descriptor, mode] : {std::pair{0, O_WRONLY}, {1, O_RDONLY}, {2, O_RDWR}})
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) open("/dev/null", mode);
}

[[noreturn]] void throw_unwritten(int error) {
  throw SystemFailure(fmt::format("standard output cannot be written: {}", std::strerror(error)));
}

void begin() {
  static const bool once = std::atexit(end_as_denied) == 0;
  static_cast<void>(once);
  // Both then show as an error of the write.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  take_closed_descriptors();
  const int mode = fcntl(STDOUT_FILENO, F_GETFL);
  if (mode >= 0 && (mode & O_ACCMODE) == O_RDONLY) throw_unwritten(EBADF);
}

/// Only what a signal handler may call.
void end_as_interrupted(int) {
  constexpr char message[] = "attestone: interrupted: there are no results\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
  _exit(static_cast<int>(ExitStatus::cut_short));
}

/// Why nothing more can be written; 0 if it can.
int asked_by_writing() {
  errno = 0;
  return write(STDOUT_FILENO, "\n", 1) < 0 ? errno : 0;
}

void check_that_output_was_written() {
  errno = 0;
  std::cout.flush();
  if (!std::cout.good() || std::ferror(stdout) || std::fflush(stdout) != 0) {
    // The error that was met first is forgotten where more was tried since.
    int error = errno ? errno : asked_by_writing();
    if (error != EPIPE) throw_unwritten(error ? error : EIO);
  }
}

ExitStatus denied(const std::string& what) {
  say(fmt::format("attestone: {}\n", what));
  return ExitStatus::internal_error;
}

std::string hint(const std::error_code& code) {
  const bool files = code == std::errc::too_many_files_open || code == std::errc::too_many_files_open_in_system;
  return files ? "\nulimit -n says how many files may be open at once" : "";
}

/// Ends where the machine denied something: also that what was printed could be written.
ExitStatus ended_by_machine(const Blamed& blamed) {
  try {
    std::rethrow_exception(blamed.thrown);
  } catch (const std::system_error& error) {
    if (!std::ferror(stdout)) return denied(error.what() + hint(error.code()));
    if (error.code() == std::errc::broken_pipe) return ExitStatus::ok;
    return denied(fmt::format("standard output cannot be written: {}", error.code().message()));
  } catch (const std::bad_alloc&) {
    return denied("the system denies the memory that judging this needs");
  } catch (...) {
    return denied(blamed.says);
  }
}

ExitStatus ended_by_exception() {
  const Blamed blamed = blame(std::current_exception());
  if (blamed.whose == Blame::machine) return ended_by_machine(blamed);
  if (blamed.whose == Blame::user) {
    say(fmt::format("attestone: {}\n", blamed.says));
    return ExitStatus::usage;
  }
  return denied(
      fmt::format("internal error: {}\nPlease report this with the output of attestone doctor.", blamed.says));
}

}  // namespace

void end_when_interrupted() {
  // Under nohup a command outlives its terminal.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, end_as_interrupted) == SIG_IGN && signal == SIGHUP) std::signal(signal, SIG_IGN);
}

void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::clearerr(stderr);  // nobody can be told that this cannot be told
}

ExitStatus ended(const std::function<ExitStatus()>& command) {
  ExitStatus status = ExitStatus::ok;
  try {
    begin();
    in_a_command = true;
    status = command();
    check_that_output_was_written();
  } catch (...) {
    status = ended_by_exception();
  }
  in_a_command = false;
  return status;
}

}  // namespace attestone::inline conformance
