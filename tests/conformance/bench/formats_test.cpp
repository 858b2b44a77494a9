// SPDX-License-Identifier: Apache-2.0
// A result in every format: what a program reads, what a person reads, and a picture that is XML.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "conformance/bench/formats/bench_format.hpp"
#include "conformance/bench/scaling.hpp"
#include "conformance/bench/svg.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/bench/bench_example.hpp"
#include "tests/conformance/reports/json_of.hpp"
#include "tests/contains.hpp"

namespace attestone {
namespace {

std::string written(const char* format, const BenchResult& result) {
  std::ostringstream out;
  Registry<BenchFormat>::find(format)->write(result, out);
  return out.str();
}

TEST(BenchScaling, FitsSlopesAndComparesThreads) {
  const BenchResult result = bench_example();
  const std::vector<Growth> all = growths(result);
  ASSERT_EQ(all.size(), 4u) << "two contenders, two numbers of threads";
  for (const Growth& growth : all) {
    EXPECT_EQ(growth.family, "shape=1x8xNxNx64");
    EXPECT_NEAR(growth.slope, growth.contender == "quick" ? 2 : 1, 1e-12) << growth.contender;
  }
  const std::vector<SpeedUp> faster = speed_ups(result);
  ASSERT_EQ(faster.size(), 4u);
  for (const SpeedUp& one : faster) EXPECT_NEAR(one.points.back().second, one.contender == "quick" ? 2 : 1, 1e-12);
}

TEST(BenchScaling, NamesFamiliesByWhatGrows) {
  EXPECT_EQ(family_of(parse_problem("shape=1x8/2x1x4096x64 mask=causal")), "shape=1x8/2x1xNx64 mask=causal");
  EXPECT_EQ(family_of(parse_problem("shape=2x8x64x64x64")), "shape=2x8xNxNx64");
}

TEST(BenchFormats, TellProgramsEverything) {
  const nlohmann::json json = json_of(written("json", bench_example()));
  EXPECT_EQ(json["schema"], "attestone.bench/1");
  EXPECT_EQ(json["limits"][1]["threads"], 2);
  EXPECT_EQ(json["limits"][1]["per_second"]["f32"], 2e11);
  EXPECT_TRUE(json["limits"][0]["per_second"]["bf16"].is_null());
  EXPECT_EQ(json["peers"][1]["absent"], "no package far");
  ASSERT_EQ(json["cells"].size(), 4u);
  const nlohmann::json& cell = json["cells"][3];
  EXPECT_EQ(cell["problem"], "shape=1x8x1024x1024x64");
  EXPECT_EQ(cell["rounds_unsteady"], 3);
  EXPECT_EQ(cell["entries"][1]["seconds"]["median"].get<double>(), 0.06);
  EXPECT_EQ(cell["entries"][1]["share"]["most"].get<double>(), 0.25);
  EXPECT_EQ(cell["entries"][1]["peak_memory"]["bytes"], 1 << 21);
  EXPECT_EQ(cell["entries"][2]["skipped"], "takes nothing");
  EXPECT_EQ(cell["entries"][3]["failed"], "died");
  EXPECT_TRUE(cell["entries"][3]["seconds"].is_null());
  EXPECT_EQ(json["growth"].size(), 4u);
  EXPECT_EQ(json["speed_up"].size(), 4u);
  EXPECT_DOUBLE_EQ(json["against_fastest_peer"][0]["geometric_mean"].get<double>(), 3);
  EXPECT_TRUE(json["cut_short"].is_null());
}

TEST(BenchFormats, TellPeopleWhatIsNotThere) {
  BenchResult result = bench_example();
  const std::string text = written("text", result);
  for (const char* line : {"absent: no package far", "skipped: takes nothing", "FAILED: died", "0.125..0.250", "2.00",
                           "2 of 5 rounds counted: in 3 the limit moved by more than 5 %", "as it is",
                           "3.00  quick                  forward, f32, 4 cells",
                           "1.50    in shape=1x8x1024x1024x64, 1 thread, against slow <&>"})
    EXPECT_TRUE(contains(text, line)) << line << "\n" << text;
  EXPECT_FALSE(contains(text, "incomplete")) << text;
  result.cut_short = CutShort::interrupted;
  EXPECT_TRUE(contains(written("text", result), "incomplete (interrupted): 4 of 5 cells"));
  EXPECT_EQ(json_of(written("json", result))["cut_short"], "interrupted");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
}

/// The number of elements of that name, anywhere.
std::size_t count_of(const pugi::xml_node& node, const std::string& name) {
  std::size_t count = node.name() == name;
  for (const pugi::xml_node& child : node.children()) count += count_of(child, name);
  return count;
}

TEST(BenchFormats, DrawEveryPointBelowLabelledAxes) {
  pugi::xml_document picture;
  const std::string text = written("svg", bench_example());
  ASSERT_TRUE(picture.load_string(text.c_str())) << text;
  EXPECT_EQ(count_of(picture, "circle"), 4u * 2 + 2) << "a point for each entry with figures, and the legend";
  std::set<std::string> words;
  for (const pugi::xml_node& node : picture.child("svg").children("text")) words.insert(node.text().get());
  for (const char* word : {"Gflop/s", "useful operations for each byte of the tensors", "slow <&>", "quick",
                           "f32, 2 threads: 200", "reads: 10 GB/s"})
    EXPECT_TRUE(words.count(word)) << word << "\n" << text;
  for (const pugi::xml_node& circle : picture.child("svg").children("circle")) {
    EXPECT_GE(circle.attribute("cy").as_double(), 40) << "inside the picture";
    EXPECT_LE(circle.attribute("cy").as_double(), 420);
  }
  EXPECT_TRUE(contains(text, "prefers-color-scheme:dark"));
}

TEST(BenchFormats, SurviveAResultThatHoldsNothing) {
  for (const auto& [name, format] : Registry<BenchFormat>::all()) EXPECT_NE(written(name.c_str(), {}), "") << name;
  pugi::xml_document picture;
  EXPECT_TRUE(picture.load_string(written("svg", {}).c_str()));
  EXPECT_FALSE(json_of(written("json", {})).is_discarded());
}

TEST(BenchFormats, EscapeWhatIsMarkup) { EXPECT_EQ(xml_text("a<b>&\"\x01"), "a&lt;b&gt;&amp;&quot;\uFFFD"); }

}  // namespace
}  // namespace attestone
