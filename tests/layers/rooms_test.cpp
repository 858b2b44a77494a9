// SPDX-License-Identifier: Apache-2.0
// No circle of rooms: each can be read without those that use it. And files stay short: half of each layer's fit on a
// page or two.
#include "tests/layers/rooms.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "tests/places.hpp"

namespace attestone {
namespace {

constexpr std::size_t most_lines_of_the_median = 100;

/// The lines of each file, shortest first, by layer.
std::map<std::string_view, std::vector<std::size_t>> lengths(const std::vector<Source>& sources) {
  std::map<std::string_view, std::vector<std::size_t>> all;
  for (const Source& source : sources)
    if (source.in_a_layer()) all[layers[rank(source.file)]].push_back(source.lines.size());
  for (auto& [layer, lines] : all) std::ranges::sort(lines);
  return all;
}

std::size_t median(const std::vector<std::size_t>& sorted) { return sorted[sorted.size() / 2]; }

TEST(Rooms, DependOnEachOtherInNoCircle) {
  const std::vector<Include> includes = includes_between_rooms(sources(source_folder()));
  EXPECT_GT(includes.size(), 100u);  // they were found
  EXPECT_EQ(text(circle_of_rooms(includes)), "");
}

TEST(Rooms, StandInThePicture) {
  std::ifstream file(source_folder() + "/docs/pictures/rooms.svg");
  const std::string picture{std::istreambuf_iterator<char>(file), {}};
  std::set<Path> missing;
  for (const Source& source : sources(source_folder())) {
    const Path room = source.file.parent_path();
    const bool has_a_name = source.in_a_layer() && room != layers[rank(source.file)];
    if (has_a_name && picture.find(">" + room.filename().string() + "/<") == std::string::npos) missing.insert(room);
  }
  EXPECT_EQ(missing, std::set<Path>{}) << "docs/pictures/draw.py draws them";
}

TEST(Rooms, HoldShortFiles) {
  for (const auto& [layer, lines] : lengths(sources(source_folder()))) {
    std::printf("%-20.*s %4zu files, median %3zu lines, longest %3zu\n", static_cast<int>(layer.size()), layer.data(),
                lines.size(), median(lines), lines.back());
    EXPECT_LE(median(lines), most_lines_of_the_median) << layer;
  }
}

TEST(CircleOfRooms, IsSeenOverAnyNumberOfThem) {
  const std::vector<Include> line{{"a/1.hpp", "a/b/1.hpp"}, {"a/b/2.cpp", "a/c/1.hpp"}, {"a/c/1.cpp", "a/c/d/1.hpp"}};
  EXPECT_EQ(text(circle_of_rooms(line)), "");
  std::vector<Include> circle = line;
  circle.push_back({"a/c/d/2.hpp", "a/b/1.hpp"});
  EXPECT_EQ(text(circle_of_rooms(circle)),
            "a/b/2.cpp includes a/c/1.hpp, a/c/1.cpp includes a/c/d/1.hpp, a/c/d/2.hpp includes a/b/1.hpp");
  EXPECT_EQ(text(circle_of_rooms({{"a/1.hpp", "a/b/1.hpp"}, {"a/b/1.hpp", "a/2.hpp"}})),
            "a/1.hpp includes a/b/1.hpp, a/b/1.hpp includes a/2.hpp");
}

TEST(CircleOfRooms, IsNoneWhereWaysMeetAgain) {
  EXPECT_EQ(text(circle_of_rooms({{"a/1.hpp", "b/1.hpp"},
                                  {"a/2.hpp", "c/1.hpp"},
                                  {"b/1.hpp", "d/1.hpp"},
                                  {"c/1.hpp", "d/1.hpp"},
                                  {"d/1.hpp", "d/2.hpp"}})),
            "");
}

TEST(IncludesBetweenRooms, AreThoseOfLayersOnly) {
  const std::vector<Source> sources{
      {"reference/a/1.hpp", {}, {"reference/a/2.hpp", "reference/b/1.hpp", "hwy/highway.h"}},
      {"tests/a/1.hpp", {}, {"reference/b/1.hpp"}}};
  EXPECT_EQ(text(includes_between_rooms(sources)), "reference/a/1.hpp includes reference/b/1.hpp");
}

TEST(MedianOfLines, IsOneOfThem) {
  EXPECT_EQ(median({100, 101, 102}), 101u);
  EXPECT_EQ(median({100, 101}), 101u);
}

}  // namespace
}  // namespace attestone
