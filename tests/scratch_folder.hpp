// SPDX-License-Identifier: Apache-2.0
// An empty folder for one test, of which nothing remains.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace attestone {

/// Tests of several builds may run side by side: no two have the same folder.
class ScratchFolder {
 public:
  ScratchFolder() : path_(made()) {}
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string string() const { return path_.string(); }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  static std::filesystem::path made() {
    std::string name = testing::TempDir() + "attestone_XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr) << name;
    return name;
  }

  std::filesystem::path path_;
};

}  // namespace attestone
