// SPDX-License-Identifier: Apache-2.0
// No circle of rooms: each can be read without those that use it.
#include "tests/layers/rooms.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string>

#include "tests/places.hpp"

namespace attestone {
namespace {

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

}  // namespace
}  // namespace attestone
