// SPDX-License-Identifier: Apache-2.0
// Clumsy command lines, run as a user would: each ends by itself, in a status that says what happened, and whoever made
// a mistake reads one message. A seed draws the lines; each that fails is printed for a shell.
// slow: starts the program many times
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/conformance/program/clumsy_lines.hpp"
#include "tests/one_in.hpp"

namespace attestone {
namespace {

constexpr index lines_in_ci = 50, lines_at_night = 10'000;
constexpr double seconds = 10;  // then it is interrupted, and has as long again to end

/// The complaint about how a line ended; empty if nothing is wrong.
std::string complaint(const ProgramResult& result) {
  if (result.signal) return fmt::format("ended by signal {}{}", result.signal, result.was_stopped ? ": it hangs" : "");
  constexpr int usage = 2;
  if (std::string_view("\0\1\2\5\6", 5).find(static_cast<char>(result.status)) == std::string_view::npos)
    return fmt::format("status {}", result.status);
  for (const char c : result.err)
    if ((c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == '\x7f') return "a control character in a message";
  if (result.status != usage) return {};
  if (!result.out.empty()) return "a mistake, but also results";
  // A program that was to be judged may speak before.
  const std::string lines = "\n" + result.err;
  const std::size_t message = lines.find("\nattestone: ");
  if (message == std::string::npos) return "a mistake, but no message";
  if (lines.find("\nattestone: ", message + 1) != std::string::npos) return "more than one message";
  constexpr std::size_t longest = 4000;
  if (result.err.size() > longest) return "a message that nobody reads to its end";
  return {};
}

TEST(CommandLineFuzz, EveryClumsyLineEndsWithAStatusAndOneMessageSlow) {
  const ScratchFolder folder;
  make_odd_files(folder.path());
  ClumsyLines lines(seed());
  std::map<int, index> statuses;
  const index count = effort(lines_in_ci, lines_at_night);
  for (index line = 0; line < count; ++line) {
    const ProgramCall call = lines.next();
    const ProgramResult result = run_program(call, folder.path(), seconds);
    ++statuses[result.status];
    if (const std::string what = complaint(result); !what.empty())
      ADD_FAILURE() << "seed " << seed() << ", line " << line << ": " << what << "\n  " << call.text() << "\n"
                    << result.err.substr(0, 1000);
  }
  // Neither all mistakes nor none.
  EXPECT_GE(statuses[0], count / 10);
  EXPECT_GE(statuses[2], count / 10);
  for (const auto& [status, ended] : statuses) fmt::print("status {}: {} lines\n", status, ended);
}

}  // namespace
}  // namespace attestone
