// SPDX-License-Identifier: Apache-2.0
// Results that cannot be written are an error; a reader that has seen enough is none.
#include <gtest/gtest.h>
#include <string>

#include "tests/sanitizers.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

const std::string run = "attestone run --kernel=flash --property=value_bound shape=1x1x4x4x4";

/// The line's own status and what it says on standard error.
ShellOutput of(const std::string& line) { return shell("{ " + line + "; } 2>&1 1>/dev/null"); }

// What a compiler's runtime does to the limits that a test sets.
#if defined(__clang__)
constexpr bool openmp_registers_in_a_file = true;
#else
constexpr bool openmp_registers_in_a_file = false;
#endif

TEST(Output, ThatCannotBeWrittenIsAnError) {
  for (const std::string& command : {run, run + " --format=json", std::string("attestone list mutants"),
                                     std::string("attestone --help"), std::string("attestone completion bash")}) {
    const ShellOutput full = of(command + " > /dev/full");
    EXPECT_EQ(full.status, 3) << command;
    EXPECT_EQ(full.text, "attestone: standard output cannot be written: No space left on device\n") << command;
    const ShellOutput closed = of(command + " >&-");
    EXPECT_EQ(closed.status, 3) << command;
    EXPECT_EQ(closed.text, "attestone: standard output cannot be written: Bad file descriptor\n") << command;
    if (openmp_registers_in_a_file && (thread_is_sanitized || command.starts_with(run))) continue;
    const ShellOutput limited =
        shell("cd \"$(mktemp -d)\" && (ulimit -f 0; " + command + " > out) 2>&1; s=$?; rm -r \"$PWD\"; exit $s");
    EXPECT_EQ(limited.status, 3) << command;
    EXPECT_EQ(limited.text, "attestone: standard output cannot be written: File too large\n") << command;
  }
}

TEST(Output, IsNotMistakenForAReport) {
  // A closed descriptor is the first that a file gets: what is printed must not land in it.
  const ShellOutput output =
      shell("d=$(mktemp -d); " + run + " --report=$d 2>&-; s=$?; head -c 9 $d/report.json; rm -r $d; exit $s");
  EXPECT_EQ(output.status, 0);
  EXPECT_NE(output.text.find("{\n \"schem"), std::string::npos) << output.text;
}

TEST(Output, AReaderThatHasSeenEnoughIsNoError) {
  for (const std::string& command : {run, std::string("attestone list mutants"), std::string("attestone help run")}) {
    const ShellOutput output = shell("bash -c '" + command + " 2>&1 | :; exit ${PIPESTATUS[0]}'");
    EXPECT_EQ(output.status, 0) << command;
    EXPECT_EQ(of("bash -c '" + command + " 2>&3 | :' 3>&1 1>/dev/null").text, "") << command;
  }
  const std::string wrong = "attestone run --kernel=lost_tail --property=value_bound shape=1x1x4x17x4";
  EXPECT_EQ(shell("bash -c '" + wrong + " | :; exit ${PIPESTATUS[0]}'").status, 1) << "the verdict stays";
}

TEST(Output, OfErrorsMayBeLost) {
  EXPECT_EQ(shell("attestone rnu 2>/dev/full").status, 2);
  EXPECT_EQ(shell("attestone rnu 2>&-").status, 2);
}

TEST(Denied, IsTheMachinesFaultAndNobodyElses) {
  if (!takes_all_addresses) {
    const ShellOutput threads =
        of("ulimit -v 900000; OMP_NUM_THREADS=200 OMP_STACKSIZE=1G attestone run --kernel=flash --property=value_bound "
           "shape=1x8x256x256x64");
    EXPECT_EQ(threads.status, 3) << threads.text;
    EXPECT_NE(threads.text.find("attestone: a library gave up"), std::string::npos) << threads.text;
  }
  const ShellOutput files = of("ulimit -n 20; attestone run --program=cat shape=1x1x4x4x4");
  EXPECT_EQ(files.status, 3) << files.text;
  EXPECT_NE(files.text.find("Too many open files"), std::string::npos) << files.text;
  EXPECT_EQ(files.text.find("internal error"), std::string::npos) << files.text;
}

TEST(Threads, SleepUnlessTheUserSaysOtherwise) {
  const auto policy = [](const std::string& environment) {
    return shell(environment + " OMP_DISPLAY_ENV=true " + run + " 2>&1 | grep WAIT_POLICY | tr -d ' '").text;
  };
  EXPECT_NE(policy("env -u OMP_WAIT_POLICY").find("'PASSIVE'"), std::string::npos);
  EXPECT_NE(policy("OMP_WAIT_POLICY=active").find("'ACTIVE'"), std::string::npos);
}

}  // namespace
}  // namespace attestone
