// SPDX-License-Identifier: Apache-2.0
// The program attestone: it settles how threads wait, then loads the library and the mutants, and hands the library the
// command line.
//
// OpenMP reads its environment when it is loaded, and by default its threads spin where they wait: beside other work on
// the machine small problems then take many times as long. So the program itself links nothing, and chooses before.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <string_view>
#include <thread>

#include "conformance/program/command_line.hpp"
#include "conformance/run/exit_status.hpp"

namespace {

using attestone::ExitStatus;

constexpr const char* policy = "OMP_WAIT_POLICY";

/// A message with the setting as it would be written in a shell, and carets under the value.
std::string pointed_at(const std::string& name, const std::string& value, const std::string& what,
                       const std::string& hint) {
  std::string shown;
  constexpr std::size_t longest = 60;
  for (const char c : value.substr(0, longest)) shown += c >= ' ' && c <= '~' ? c : '?';
  return what + "\n  " + name + "=" + shown + "\n  " + std::string(name.size() + 1, ' ') +
         std::string(std::max<std::size_t>(shown.size(), 1), '^') + "\n" + hint;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// The number that the text is; 0 if it is none.
unsigned long long number(std::string_view text) {
  unsigned long long value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size() ? value : 0;
}

/// More threads than any machine has processors are a slip of the finger, and more than OpenMP survives.
unsigned long long most_threads() {
  constexpr unsigned least_limit = 1024;
  return std::max(least_limit, 2 * std::thread::hardware_concurrency());
}

/// One number for each level of nesting, as OpenMP takes them.
std::string mistake_in_threads(const std::string& name, const std::string& value) {
  const std::string most = std::to_string(most_threads());
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    const auto threads = number(trimmed(std::string_view(value).substr(begin, end - begin)));
    if (threads == 0 || threads > most_threads())
      return pointed_at(
          name, value, name + " is a number of threads from 1 to " + most + " here",
          "write " + name + "=" + std::to_string(std::thread::hardware_concurrency()) + ", or leave it out");
    begin = end + 1;
  }
  return {};
}

/// Bytes of "4M"; a number alone is kilobytes. 0 if it is no size.
double stack_bytes(std::string_view text) {
  constexpr double kilo = 1024;
  double unit = kilo;
  text = trimmed(text);
  if (!text.empty()) {
    const char c = static_cast<char>(text.back() | ('a' ^ 'A'));
    const bool has_unit = c == 'b' || c == 'k' || c == 'm' || c == 'g';
    unit = c == 'b' ? 1 : c == 'm' ? kilo * kilo : c == 'g' ? kilo * kilo * kilo : kilo;
    if (has_unit) text.remove_suffix(1);
  }
  return static_cast<double>(number(trimmed(text))) * unit;
}

std::string mistake_in_stack(const std::string& name, const std::string& value) {
  constexpr double least = 1 << 20, most = 1 << 30;  // attestone's threads take some 100 kB
  const double bytes = stack_bytes(value);
  if (bytes >= least && bytes <= most) return {};
  return pointed_at(name, value, name + " is a size from 1M to 1G here", "write " + name + "=8M, or leave it out");
}

std::string mistake_in_policy(const std::string& name, const std::string& value) {
  std::string lower;
  for (const char c : trimmed(value)) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c | ('a' ^ 'A') : c);
  if (lower == "active" || lower == "passive") return {};
  return pointed_at(name, value, name + " is active or passive", "leave it out: attestone's threads then sleep");
}

/// The mistake in OMP_NUM_THREADS, OMP_THREAD_LIMIT, OMP_STACKSIZE and the like, on which OpenMP would crash, give up
/// or go on with another value; empty if there is none. The text is one message, like every mistake of a user. An empty
/// variable counts as unset.
std::string mistake_in_thread_environment() {
  struct Variable {
    const char* name;
    std::string (*mistake)(const std::string& name, const std::string& value);
  };
  for (const auto& [name, mistake] :
       {Variable{"OMP_NUM_THREADS", mistake_in_threads}, Variable{"OMP_THREAD_LIMIT", mistake_in_threads},
        Variable{"OMP_STACKSIZE", mistake_in_stack}, Variable{"GOMP_STACKSIZE", mistake_in_stack},
        Variable{policy, mistake_in_policy}})
    if (const char* value = std::getenv(name)) {
      if (trimmed(value).empty())
        unsetenv(name);  // not set is what is meant
      else if (std::string what = mistake(name, value); !what.empty())
        return what;
    }
  return {};
}

/// OpenMP's threads sleep where they wait, unless the user chose how they do. To be called before OpenMP is loaded.
void let_threads_sleep() {
  for (const char* choice : {policy, "GOMP_SPINCOUNT", "KMP_BLOCKTIME"})
    if (std::getenv(choice)) return;
  setenv(policy, "passive", 1);
}

int fail(ExitStatus status, const char* message) {
  std::fprintf(stderr, "attestone: %s\n", message);
  return static_cast<int>(status);
}

}  // namespace

int main(int argc, char** argv) {
  if (const std::string mistake = mistake_in_thread_environment(); !mistake.empty())
    return fail(ExitStatus::usage, mistake.c_str());
  let_threads_sleep();
  void* library = dlopen(ATTESTONE_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
  if (!library || !dlopen(ATTESTONE_MUTANTS, RTLD_NOW | RTLD_GLOBAL))
    return fail(ExitStatus::internal_error, dlerror());
  const auto command_line =
      reinterpret_cast<decltype(&attestone_command_line)>(dlsym(library, "attestone_command_line"));
  if (!command_line) return fail(ExitStatus::internal_error, dlerror());
  return command_line(argc, argv);
}
