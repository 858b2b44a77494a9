// SPDX-License-Identifier: Apache-2.0
// Asks a Python package for a second opinion: runs a script of tests/ in the project's .venv.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "tests/places.hpp"
#include "tests/scratch_folder.hpp"

namespace attestone {

/// The interpreter that ./run sets up.
inline std::filesystem::path venv_python() {
  return std::filesystem::path(source_folder()) / ".venv" / "bin" / "python";
}

/// True if the interpreter exists. Tests that need it skip without it, on a machine without a network; in CI they fail.
inline bool has_python() {
  const bool is_there = std::filesystem::exists(venv_python());
  if (!is_there && std::getenv("CI")) ADD_FAILURE() << "no .venv, which CI makes";
  return is_there;
}

/// Runs tests/<script> <folder> <arguments>; fails the test if the script fails.
inline void ask_oracle(const std::string& script, const ScratchFolder& folder, const std::string& arguments = {}) {
  const std::string command = "'" + venv_python().string() + "' '" + source_folder() + "/tests/" + script + "' '" +
                              folder.string() + "' " + arguments;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace attestone
