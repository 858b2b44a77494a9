// SPDX-License-Identifier: Apache-2.0
// The order of the layers is the law: reads every include, and fails on an arrow that points right. Also the shape of
// a file (licence line, opening sentence, length), and that no two headers give one name to two classes: all layers
// make one library, in which the linker would take one for the other.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/scratch_folder.hpp"

namespace attestone {
namespace {

using Path = std::filesystem::path;
using Complaints = std::vector<std::string>;

// From left to right; a file includes its own layer and what stands to the left. The last five may use everything.
constexpr std::array<std::string_view, 4> layers{"reference", "backends", "simulate", "conformance"};
constexpr std::array<std::string_view, 5> users{"tests", "docs", "python", "benchmarks", "examples"};
constexpr std::size_t most_lines = 300;
constexpr std::string_view licence = "// SPDX-License-Identifier: Apache-2.0";

/// 0 to 3 for a layer, 4 for what may use everything, 5 for a folder that is neither (a library's).
std::size_t rank(const std::string& folder) {
  const auto layer = std::find(layers.begin(), layers.end(), folder);
  if (layer != layers.end()) return static_cast<std::size_t>(layer - layers.begin());
  return layers.size() + (std::find(users.begin(), users.end(), folder) == users.end());
}

bool is_layer(const Path& file) { return rank(file.begin()->string()) < layers.size(); }

/// The quoted path of an #include "..." line; empty for other lines.
std::string quoted_include(const std::string& line) {
  std::istringstream words(line);
  std::string hash, path;
  words >> hash;
  if (hash == "#") words >> path, hash += path;
  if (hash != "#include" || !(words >> path) || path.size() < 2 || path.front() != '"') return "";
  return path.substr(1, path.size() - 2);
}

Complaints about_include(const Path& root, const Path& file, const std::string& include) {
  if (!is_layer(file)) return {};
  const std::size_t own = rank(file.begin()->string()), other = rank(Path(include).begin()->string());
  if (std::filesystem::exists(root / file.parent_path() / include))
    return {file.string() + " includes \"" + include + "\" without its layer"};
  if (other <= layers.size() && other > own)
    return {file.string() + " includes \"" + include + "\", which stands to its right"};
  return {};
}

/// What is wrong with one file; `file` is relative to the root of the tree.
Complaints about_file(const Path& root, const Path& file) {
  std::ifstream in(root / file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  Complaints all;
  if (lines.empty() || lines[0] != licence) all.push_back(file.string() + " does not begin with its licence line");
  if (lines.size() < 2 || !lines[1].starts_with("// "))
    all.push_back(file.string() + " does not say in its second line what it is");
  if (is_layer(file) && lines.size() > most_lines)
    all.push_back(file.string() + " has " + std::to_string(lines.size()) + " lines: more than one idea");
  for (const std::string& line : lines)
    if (const std::string include = quoted_include(line); !include.empty())
      for (const std::string& complaint : about_include(root, file, include)) all.push_back(complaint);
  return all;
}

std::vector<Path> sources(const Path& root) {
  const std::set<std::string> extensions{".hpp", ".cpp", ".h", ".c", ".cu", ".cuh"};
  std::vector<Path> all;
  const auto collect = [&](std::string_view folder) {
    if (!std::filesystem::exists(root / folder)) return;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
      if (extensions.count(entry.path().extension().string())) all.push_back(entry.path().lexically_relative(root));
  };
  std::for_each(layers.begin(), layers.end(), collect);
  std::for_each(users.begin(), users.end(), collect);
  std::sort(all.begin(), all.end());
  return all;
}

/// The class that this line of a header begins to define; empty if it does not.
std::string defined_class(const std::string& line) {
  std::istringstream words(line);
  std::string keyword, name;
  words >> keyword >> name;
  const bool defines =
      (line.starts_with("class ") || line.starts_with("struct ")) && line.find(';') == std::string::npos;
  return defines ? name : "";
}

Complaints about_names(const Path& root, const std::vector<Path>& files) {
  Complaints all;
  std::map<std::string, Path> known;
  for (const Path& file : files) {
    if (!is_layer(file) || file.extension() != ".hpp") continue;
    std::ifstream in(root / file);
    for (std::string line; std::getline(in, line);) {
      const std::string name = defined_class(line);
      if (name.empty()) continue;
      const auto [first, fresh] = known.try_emplace(name, file);
      if (!fresh && first->second != file)
        all.push_back(file.string() + " defines " + name + ", as " + first->second.string() + " does");
    }
  }
  return all;
}

Complaints about_tree(const Path& root) {
  const std::vector<Path> files = sources(root);
  Complaints all = about_names(root, files);
  for (const Path& file : files)
    for (const std::string& complaint : about_file(root, file)) all.push_back(complaint);
  return all;
}

TEST(Layers, NoArrowPointsRightAndEveryFileOpensWell) {
  EXPECT_GT(sources(ATTESTONE_SOURCE_DIR).size(), 30u);  // the tree was found
  EXPECT_EQ(about_tree(ATTESTONE_SOURCE_DIR), Complaints{});
}

/// A small tree that a test may spoil.
class PlantedTree : public testing::Test {
 protected:
  void plant(const Path& file, const std::string& text) const {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }
  Complaints complaints(const Path& file, const std::string& body) const {
    plant(file, std::string(licence) + "\n// What it is.\n" + body);
    return about_tree(root.path());
  }

  const ScratchFolder root;
};

TEST_F(PlantedTree, AnArrowThatPointsRightIsSeen) {
  EXPECT_EQ(complaints("reference/a.hpp", "#include \"backends/kernel.hpp\"\n"),
            Complaints{"reference/a.hpp includes \"backends/kernel.hpp\", which stands to its right"});
}

TEST_F(PlantedTree, ALayerMayNotIncludeTests) {
  EXPECT_EQ(complaints("conformance/deep/a.cpp", "#  include \"tests/effort.hpp\"\n"),
            Complaints{"conformance/deep/a.cpp includes \"tests/effort.hpp\", which stands to its right"});
}

TEST_F(PlantedTree, AnIncludeWithoutItsLayerIsSeen) {
  plant("backends/b.hpp", std::string(licence) + "\n// What it is.\n");
  EXPECT_EQ(complaints("backends/a.cpp", "#include \"b.hpp\"\n"),
            Complaints{"backends/a.cpp includes \"b.hpp\" without its layer"});
}

TEST_F(PlantedTree, ArrowsThatPointLeftArePermitted) {
  EXPECT_EQ(complaints("conformance/a.cpp",
                       "#include <backends/x.hpp>\n#include \"reference/a.hpp\"\n#include \"hwy/highway.h\"\n"
                       "// #include \"tests/effort.hpp\"\n"),
            Complaints{});
  EXPECT_EQ(complaints("tests/a_test.cpp", "#include \"conformance/a.hpp\"\n#include \"effort.hpp\"\n"), Complaints{});
}

TEST_F(PlantedTree, OneNameForTwoClassesIsSeen) {
  plant("backends/b.hpp", std::string(licence) + "\n// What it is.\nclass Row;\nstruct Tile {\n");
  EXPECT_EQ(complaints("reference/a.hpp", "class Row {\nstruct Tile;\n"), Complaints{});
  EXPECT_EQ(complaints("reference/a.hpp", "class Tile final : Row {\n"),
            Complaints{"reference/a.hpp defines Tile, as backends/b.hpp does"});
}

TEST_F(PlantedTree, TheShapeOfAFileIsSeen) {
  plant("reference/a.hpp", "#pragma once\n");
  EXPECT_EQ(about_tree(root.path()).size(), 2u);
  EXPECT_EQ(complaints("reference/a.hpp", std::string(most_lines - 2, '\n')), Complaints{});
  EXPECT_EQ(complaints("reference/a.hpp", std::string(most_lines - 1, '\n')).size(), 1u);
}

}  // namespace
}  // namespace attestone
