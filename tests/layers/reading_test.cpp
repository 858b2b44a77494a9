// SPDX-License-Identifier: Apache-2.0
// mutants/hosts/reading/ is the one reading of the C call for all wrong kernels, and it needs nothing of the reference,
// by which they are judged.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/layers/sources.hpp"
#include "tests/places.hpp"

namespace attestone {
namespace {

bool lies_in(const Path& file, const std::string& folder) { return file.generic_string().starts_with(folder); }

std::vector<std::string> complaints(const std::vector<Source>& sources) {
  std::vector<std::string> all;
  for (const Source& source : sources) {
    if (!lies_in(source.file, "mutants/")) continue;
    const bool reads = lies_in(source.file, "mutants/hosts/reading/");
    for (const Path& include : source.includes)
      if (reads && include != "backends/plugins/protocol/kernel.h" && !lies_in(include, "mutants/hosts/reading/"))
        all.push_back(source.file.string() + " includes " + include.string());
    for (const std::string& line : source.lines)
      for (const char* part : {"dtype.code", "dtype.bits", "0xD2511F53", "_starts.data", "_lengths.data"})
        if (!reads && line.find(part) != std::string::npos)
          all.push_back(source.file.string() + " reads a call by itself: " + line);
  }
  return all;
}

TEST(ReadingOfCalls, IsOneForAllHostsAndNeedsNothingOfTheReference) {
  EXPECT_EQ(complaints(sources(source_folder())), std::vector<std::string>{});
}

TEST(ReadingOfCalls, ComplaintsAreSeen) {
  const auto source = [](const char* file, std::vector<std::string> lines, std::vector<Path> includes) {
    return std::vector<Source>{{file, std::move(lines), std::move(includes)}};
  };
  const Path own = "mutants/hosts/reading/a.hpp", interface = "backends/plugins/protocol/kernel.h",
             truth = "reference/tensor/tensor.hpp";
  EXPECT_EQ(complaints(source("mutants/hosts/reading/b.hpp", {"t.dtype.code"}, {own, interface})).size(), 0u);
  EXPECT_EQ(complaints(source("mutants/hosts/reading/b.hpp", {}, {truth})).size(), 1u);
  EXPECT_EQ(complaints(source("mutants/hosts/b.hpp", {}, {truth})).size(), 0u);
  EXPECT_EQ(complaints(source("mutants/hosts/b.hpp", {"if (t.dtype.code == 2) {"}, {})).size(), 1u);
}

}  // namespace
}  // namespace attestone
