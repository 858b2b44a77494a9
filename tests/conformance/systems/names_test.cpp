// SPDX-License-Identifier: Apache-2.0
// Names of other systems take what the table of docs/systems.md says, are right there, and refuse the rest in words.
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "backends/catalogue.hpp"
#include "backends/systems/system_method.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "simulate/world/mesh_kernel.hpp"
#include "tests/contains.hpp"
#include "tests/places.hpp"

namespace attestone {
namespace {

/// A column of the table: what is asked, a few words of each refusal, and on which devices.
struct Feature {
  const char *column, *fields, *refusal;
  const char *ring = "ring:2", *ulysses = "ulysses:2", *both = "ulysses:2+ring:2";  ///< by the axes of the method
};

constexpr Feature features[] = {
    {"full", "shape=2x4x8x8x4", ""},
    {"gradients", "shape=2x4x8x8x4 pass=forward+backward", "no backward pass"},
    {"mask", "shape=2x4x8x8x4 mask=causal", "takes no mask=causal"},
    {"lengths", "shape=2x4x8x8x4 lengths=3+8", "takes no mask of keys"},
    {"cross", "shape=2x4x4x8x4", "as many queries as keys"},
    {"its gradients", "shape=2x4x4x8x4 pass=forward+backward", ""},
    {"GQA", "shape=2x4/2x8x8x4", "shares no kv heads"},
    {"wide V", "shape=2x4x8x8x4:8", "values of 8 channels"},
    {"scores", "shape=2x4x8x8x4 score=softcap:5", "knows no score=softcap:5"},
    {"dropout", "shape=2x4x8x8x4 dropout=0.1", "no dropout"},
    {"7 rows", "shape=2x4x7x7x4", "do not divide 7 rows"},
    {"3 heads", "shape=2x3x8x8x4", "do not divide 3 heads"},
    {"1 device", "shape=2x4x8x8x4", "at least two devices", "ring:1", "ulysses:1", "ulysses:1+ring:1"},
    {"ring first", "shape=2x4x8x8x4", "neighbours in a Ulysses group", "ring:2", "ulysses:2", "ring:2+ulysses:2"},
    {"batch", "shape=2x4x8x8x4", "", "ring:2+batch:2", "ulysses:2+batch:2", "ulysses:2+ring:2+batch:2"},
};

SharedKernel kernel_of(const std::string& name, const Feature& feature) {
  const auto program = make_rank_program(name);
  const auto axes = program->axes();
  const bool ring = std::ranges::find(axes, "ring") != axes.end();
  const bool ulysses = std::ranges::find(axes, "ulysses") != axes.end();
  Scanner in(ring && ulysses ? feature.both : ring ? feature.ring : feature.ulysses);
  return std::make_shared<MeshKernel>(program, make_kernel(find_rank_program(name)->local), read_mesh(in));
}

/// Name by name what stands in each column: "yes" or "no".
std::map<std::string, std::vector<std::string>> table_of_page() {
  std::ifstream page(source_folder() + "/docs/systems.md");
  std::map<std::string, std::vector<std::string>> rows;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `") || !contains(line, "/")) continue;
    std::stringstream rest(line.substr(1));
    std::vector<std::string> cells;
    for (std::string cell; std::getline(rest, cell, '|');)
      cells.push_back(contains(cell, "yes") ? "yes" : contains(cell, "no") ? "no" : cell);
    const std::string name = cells.front().substr(2, cells.front().find('`', 2) - 2);
    if (cells.size() == 1 + std::size(features)) rows[name] = {cells.begin() + 1, cells.end()};
  }
  return rows;
}

TEST(SystemNames, TakeWhatThePageSaysAndAreRightThere) {
  const auto page = table_of_page();
  const std::vector<const Property*> bounds{Registry<Property>::find("value_bound"),
                                            Registry<Property>::find("gradient_bound")};
  EXPECT_EQ(page.size(), Registry<SystemMethod>::names().size());
  for (const std::string& name : Registry<SystemMethod>::names()) {
    ASSERT_TRUE(page.count(name)) << name << " is not on the page";
    for (std::size_t column = 0; column < std::size(features); ++column) {
      const Feature& feature = features[column];
      const SharedKernel kernel = kernel_of(name, feature);
      const Problem problem = parse_problem(feature.fields);
      const Support support = kernel->takes(problem);
      EXPECT_EQ(page.at(name)[column], support ? "yes" : "no") << name << ", " << feature.column << ": " << support.why;
      if (!support) {
        EXPECT_TRUE(contains(support.why, "there")) << support.why;
        continue;
      }
      const KernelRun run = examine(kernel, {.problems = {problem}, .properties = bounds});
      EXPECT_TRUE(run.conforms()) << name << " " << feature.fields;
    }
  }
}

TEST(SystemNames, RefuseInWordsOfWhatIsAsked) {
  std::map<std::string, index> refused;
  for (const std::string& name : Registry<SystemMethod>::names())
    for (const Feature& feature : features) {
      const Support support = kernel_of(name, feature)->takes(parse_problem(feature.fields));
      refused[feature.column] += *feature.refusal != '\0' && contains(support.why, feature.refusal);
    }
  for (const Feature& feature : features)
    EXPECT_EQ(refused[feature.column] > 0, *feature.refusal != '\0') << feature.column;
}

TEST(SystemNames, NeedNoSystemWhereOnlyOneHasThem) {
  EXPECT_EQ(make_rank_program("tokamax_ring")->name(), "maxdiffusion/tokamax_ring");
  EXPECT_EQ(make_rank_program("unified")->name(), "diffusers/unified");
  EXPECT_EQ(make_rank_program("ulysses")->name(), "ulysses") << "ours, though two systems have one";
  EXPECT_EQ(find_rank_program("ulysses_rnig"), nullptr);
}

}  // namespace
}  // namespace attestone
