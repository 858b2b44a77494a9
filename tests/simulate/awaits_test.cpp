// SPDX-License-Identifier: Apache-2.0
// g++ 12 destroys aggregates, braced lists and what a condition chooses twice if they stand inside a co_await
// expression: our coroutines have none there.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/places.hpp"

namespace attestone {
namespace {

/// The expressions that are awaited in a source, up to their semicolon or the bracket that closes around them, that
/// hold a brace or a condition.
std::vector<std::string> ill_awaits(const std::string& source) {
  std::vector<std::string> all;
  for (std::size_t at = source.find("co_await "); at != std::string::npos; at = source.find("co_await ", at + 1)) {
    std::size_t end = at;
    for (int depth = 0; end < source.size() && source[end] != ';'; ++end) {
      depth += source[end] == '(';
      if (source[end] == ')' && --depth < 0) break;
    }
    const std::string awaited = source.substr(at, end - at);
    if (awaited.find_first_of("{?") != std::string::npos) all.push_back(awaited);
  }
  return all;
}

/// Without what stands behind // in a line.
std::string code_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string all;
  for (std::string line; std::getline(in, line);) all += line.substr(0, line.find("//")) + "\n";
  return all;
}

TEST(IllAwaits, AreSeen) {
  EXPECT_EQ(ill_awaits("co_await f(a, b); g({1});"), std::vector<std::string>{});
  EXPECT_EQ(ill_awaits("x = co_await f({1, 2});"), std::vector<std::string>{"co_await f({1, 2})"});
  EXPECT_EQ(ill_awaits("co_await f(\n    Group{});"), std::vector<std::string>{"co_await f(\n    Group{})"});
  EXPECT_EQ(ill_awaits("co_await f(a ? b : c);"), std::vector<std::string>{"co_await f(a ? b : c)"});
  EXPECT_EQ(ill_awaits("if (co_await f(a)) { g(); }"), std::vector<std::string>{});
}

TEST(IllAwaits, AreNowhere) {
  std::size_t awaits = 0;
  for (const char* folder : {"backends/distributed", "simulate", "tests/simulate"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(source_folder()) / folder)) {
      if (!entry.is_regular_file()) continue;
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      if (entry.path().filename() == "awaits_test.cpp") continue;  // which shows how it is done
      const std::string code = code_of(entry.path());
      awaits += code.find("co_await ") != std::string::npos;
      EXPECT_EQ(ill_awaits(code), std::vector<std::string>{}) << entry.path();
    }
  EXPECT_GT(awaits, 1u);  // they were found
}

}  // namespace
}  // namespace attestone
