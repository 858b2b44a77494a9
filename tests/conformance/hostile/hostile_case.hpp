// SPDX-License-Identifier: Apache-2.0
// Outside kernels that do harm, and the verdicts that they must get. A file of tests/hostile/, tests/hostile_programs/
// or tests/hostile_ranks/ holds many cases: namespaces in C++, decorated functions in Python, functions of the shell.
// The comment above each says what to expect:
//
// clang-format off
//     expect: REASON[|REASON...] ARGUMENTS     a reason, `conforms`, `refused` (nothing ran) or `usage` (cannot be used)
//     says: TEXT                               and this is said on standard error
//     leaves: BEGINNING                        and files may stay whose names begin so: the kernel's own
// Where `attestone doctor` says no to a measure ("own processes"):
//     expect without MEASURE: REASON[|REASON...]
//     leaves without MEASURE: NAME             and this stays in /dev/shm
// clang-format on
#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/descendants.hpp"
#include "tests/scratch_folder.hpp"

namespace attestone {

struct HostileCase {
  std::filesystem::path file;
  std::string name;
  std::vector<std::string> reasons;
  std::string arguments, says, leaves;
  std::set<std::string> left_in_shared_memory;

  /// The expectations where a measure of `attestone doctor` does not hold; an empty field differs in nothing.
  struct Without {
    std::vector<std::string> reasons;
    std::set<std::string> left_in_shared_memory;
  };
  std::map<std::string, Without> without;  ///< by the measure's name

  friend void PrintTo(const HostileCase& hostile, std::ostream* out) { *out << hostile.name; }
};

std::string content_of(const std::filesystem::path&);

/// The cases of a folder, by name; `comment` begins a line that is no code. Whatever else the folder holds is ignored.
/// A case without an expectation has no reasons, and so fails.
std::vector<HostileCase> hostile_cases(const std::string& folder, const std::string& comment);

/// The command line of a program or of a rank.
std::string command_of(const HostileCase&);

std::set<std::string> entries_of(const std::filesystem::path& folder);

/// The entries that came into a folder since its entries were `before`.
std::set<std::string> new_entries(const std::filesystem::path& folder, const std::set<std::string>& before);

/// True if the text holds control characters, which a terminal obeys; no output may.
bool obeyed_by_terminals(const std::string& text);

/// The output of attestone about an outside kernel.
struct HostileOutput {
  int status;
  std::string report, narration;  ///< on standard output and on standard error

  /// The reason of the first failure, or the word that `expect` has in its place.
  std::string verdict() const;
};

/// A place where outside kernels are let loose: a folder of their own, of which they see no output.
class HostileGround {
 public:
  const ScratchFolder folder;

  /// One run, which must end within a minute; what it leaves running ends with this object.
  HostileOutput run(const std::string& door, const std::string& arguments, const std::string& format = "json") const;

 private:
  const ScratchFolder outputs_;
  const Descendants descendants_;
};

/// The case as it must come out on a machine of which `attestone doctor` says this.
HostileCase expected_where(HostileCase, const std::string& doctor);

/// The verdict is one of those expected, and nothing stays behind.
void expect_verdict(const HostileCase&, const HostileGround&, const std::string& door);

}  // namespace attestone
