// SPDX-License-Identifier: Apache-2.0
// The order of the layers is the law: reads every include, and fails on an arrow that points right. Also the shape of
// a file (licence line, opening sentence), and that no two headers give one name to two classes: all layers make one
// library, in which the linker would take one for the other.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/layers/sources.hpp"
#include "tests/places.hpp"
#include "tests/scratch_folder.hpp"

namespace attestone {
namespace {

using Complaints = std::vector<std::string>;

constexpr std::string_view licence = "// SPDX-License-Identifier: Apache-2.0";

Complaints about_include(const Path& root, const Path& file, const Path& include) {
  if (std::filesystem::exists(root / file.parent_path() / include))
    return {file.string() + " includes \"" + include.string() + "\" without its layer"};
  if (rank(include) <= layers.size() && rank(include) > rank(file))
    return {file.string() + " includes \"" + include.string() + "\", which stands to its right"};
  return {};
}

/// Names of the namespaces that open, or close, at the beginning of a line: `namespace a::b {`, `}  // namespace a::b`.
std::multiset<std::string> namespaces(const Source& source, const std::string& before, const std::string& behind) {
  std::multiset<std::string> all;
  for (const std::string& line : source.lines)
    if (line.starts_with(before) && line.ends_with(behind))
      all.insert(line.substr(before.size(), line.size() - before.size() - behind.size()));
  return all;
}

/// The complaints about one file.
Complaints about_file(const Path& root, const Source& source) {
  const std::string file = source.file.string();
  const std::vector<std::string>& lines = source.lines;
  Complaints all;
  if (lines.empty() || lines[0] != licence) all.push_back(file + " does not begin with its licence line");
  if (lines.size() < 2 || !lines[1].starts_with("// "))
    all.push_back(file + " does not say in its second line what it is");
  if (namespaces(source, "namespace", " {") != namespaces(source, "}  // namespace", ""))
    all.push_back(file + " does not name at its end the namespaces that it opens");
  if (!source.in_a_layer()) return all;
  for (const Path& include : source.includes)
    for (const std::string& complaint : about_include(root, source.file, include)) all.push_back(complaint);
  return all;
}

/// The class that this line of a header begins to define; empty if it does not.
std::string defined_class(const std::string& line) {
  std::istringstream words(line);
  std::string keyword, name;
  words >> keyword >> name;
  if (name.starts_with("[[")) words >> name;  // an attribute
  const bool defines =
      (line.starts_with("class ") || line.starts_with("struct ")) && line.find(';') == std::string::npos;
  return defines ? name : "";
}

Complaints about_names(const std::vector<Source>& sources) {
  Complaints all;
  std::map<std::string, Path> known;
  for (const Source& source : sources) {
    if (!source.in_a_layer() || source.file.extension() != ".hpp") continue;
    std::string space;  // the line that begins the namespace
    for (const std::string& line : source.lines) {
      if (line.starts_with("namespace ")) space = line;
      const std::string name = defined_class(line);
      if (name.empty()) continue;
      const auto [first, fresh] = known.try_emplace(space + name, source.file);
      if (!fresh && first->second != source.file)
        all.push_back(source.file.string() + " defines " + name + ", as " + first->second.string() + " does");
    }
  }
  return all;
}

Complaints about_tree(const Path& root) {
  const std::vector<Source> files = sources(root);
  Complaints all = about_names(files);
  for (const Source& source : files)
    for (const std::string& complaint : about_file(root, source)) all.push_back(complaint);
  return all;
}

TEST(Layers, NoArrowPointsRightAndEveryFileOpensWell) {
  EXPECT_GT(sources(source_folder()).size(), 30u);  // the tree was found
  EXPECT_EQ(about_tree(source_folder()), Complaints{});
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

TEST_F(PlantedTree, MutantsStandLeftOfWhatJudgesThem) {
  EXPECT_EQ(complaints("conformance/a.hpp", "#include \"mutants/hosts/a.hpp\"\n"), Complaints{});
  EXPECT_EQ(complaints("mutants/a.cpp", "#include \"conformance/a.hpp\"\n"),
            Complaints{"mutants/a.cpp includes \"conformance/a.hpp\", which stands to its right"});
}

TEST_F(PlantedTree, NamespacesAreNamedWhereTheyEnd) {
  EXPECT_EQ(complaints("backends/a.cpp",
                       "namespace attestone::inline backends {\nnamespace {\n}  // namespace\n"
                       "}  // namespace attestone::inline backends\n"),
            Complaints{});
  EXPECT_EQ(complaints("backends/a.cpp", "namespace attestone::inline backends {\n}  // namespace attestone\n"),
            Complaints{"backends/a.cpp does not name at its end the namespaces that it opens"});
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
  EXPECT_EQ(complaints("reference/a.hpp", "class [[nodiscard]] Row {\n"), Complaints{});
  EXPECT_EQ(complaints("reference/a.hpp", "class Tile final : Row {\n"),
            Complaints{"reference/a.hpp defines Tile, as backends/b.hpp does"});
  EXPECT_EQ(complaints("reference/a.hpp", "class [[nodiscard]] Tile {\n"),
            Complaints{"reference/a.hpp defines Tile, as backends/b.hpp does"});
}

TEST_F(PlantedTree, TheShapeOfAFileIsSeen) {
  plant("reference/a.hpp", "#pragma once\n");
  EXPECT_EQ(about_tree(root.path()).size(), 2u);
  EXPECT_EQ(complaints("reference/a.hpp", ""), Complaints{});
}

}  // namespace
}  // namespace attestone
