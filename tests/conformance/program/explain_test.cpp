// SPDX-License-Identifier: Apache-2.0
// attestone explain knows every word that a report shows, and words of problems as they are written, with arguments.
// slow: starts the program for every word
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>

#include "conformance/diagnosis/probes/precision_class.hpp"
#include "conformance/program/command_line.hpp"
#include "conformance/verdict/verdict.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/reports/json_of.hpp"
#include "tests/contains.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

std::string explained(const std::string& word) {
  testing::internal::CaptureStdout();
  const char* const words[]{"attestone", "explain", word.c_str()};
  EXPECT_EQ(run_command_line(static_cast<int>(std::size(words)), words), 0) << word;
  return testing::internal::GetCapturedStdout();
}

/// The words of a line that stand apart by two spaces or more: "max ulp", "r_det".
std::set<std::string> apart(const std::string& line) {
  std::set<std::string> words;
  static const std::regex gap(" {2,}");
  for (std::sregex_token_iterator at(line.begin(), line.end(), gap, -1), end; at != end; ++at)
    if (!at->str().empty() && at->str()[0] != '(') words.insert(at->str());
  return words;
}

TEST(Explain, KnowsWhatAReportOfARightAndAWrongKernelShows) {
  const ShellOutput report = shell(
      "attestone run --kernel=lost_tail,flash 'shape=1x4/2x6x17x8 mask=causal&window:9:0,~window:1:1|full "
      "dtype=f32,bf16 "
      "score=softcap:30 pass=forward+backward layout=bshd'");
  std::set<std::string> words;
  std::istringstream lines(report.text);
  bool of_coverage = false;
  for (std::string line; std::getline(lines, line);) {
    of_coverage = contains(line, "coverage") || (of_coverage && line.rfind("            ", 0) == 0);
    if (contains(line, "max ulp") || contains(line, "failed  inconclusive")) words.merge(apart(line));
    static const std::regex label(
        "^  (memory|coverage|reach|look at|where|repro|shared|time|adjusted|refused|also failed by)\\b.*");
    std::smatch found;
    if (std::regex_match(line, found, label)) words.insert(found[1]);
    static const std::regex listed("^  ([a-z_]+) +[0-9]+ +[0-9]+ +[0-9]+");
    if (std::regex_search(line, found, listed)) words.insert(found[1]);
    static const std::regex covered("([a-z_]+(=[^ ,]+)?) [0-9]+[,\n]?");
    if (of_coverage)
      for (std::sregex_iterator at(line.begin(), line.end(), covered), end; at != end; ++at) words.insert((*at)[1]);
  }
  for (const char* sure : {"r_det", "r_prob", "max ulp", "p99 ulp", "RMSE", "rel. L1", "1 - cosine", "signed mean",
                           "inconclusive", "value_bound", "mask=causal", "mask=&", "layout=bshd", "memory", "repro"})
    EXPECT_TRUE(words.count(sure)) << sure << " was not collected from\n" << report.text;
  for (const std::string& word : words) explained(word);
}

TEST(Explain, KnowsEveryReasonClassAndOutcome) {
  for (const std::string& reason : Registry<Reason>::names()) explained(reason);
  for (const PrecisionClass& known : precision_classes())
    EXPECT_TRUE(contains(explained(std::string(known.name)), std::string(known.says))) << known.name;
  for (const char* word : {"fp32", "fp64", "declared", "passed", "failed", "skipped", "inconclusive", "conforms",
                           "does not conform", "nothing ran", "relative L1", "cosine", "ulp"})
    explained(word);
  const ShellOutput output = shell("attestone run --kernel=flash,lost_tail 'shape=1x1x3x17x4' --format=json");
  const nlohmann::json report = json_of(output.text);
  std::set<std::string> words;
  for (const auto& run : report["runs"])
    for (const auto& c : run["cases"]) {
      words.insert(c["outcome"].get<std::string>());
      if (c.contains("reason")) words.insert(c["reason"].get<std::string>());
    }
  for (const std::string& word : words) explained(word);
}

TEST(Explain, DrawsAMaskWithItsArguments) {
  const std::string window = explained("window:2:0");
  EXPECT_TRUE(contains(window, "q0   ###.....")) << window;
  EXPECT_TRUE(contains(window, "q5   .....###")) << window;
  EXPECT_TRUE(contains(explained("mask=causal&~window:1:1"), "q0   #.......") ||
              contains(explained("mask=causal&~window:1:1"), "q0   ##"))
      << explained("mask=causal&~window:1:1");
  EXPECT_TRUE(contains(explained("causal:top_left"), "q0   #.......")) << explained("causal:top_left");
}

TEST(Explain, ShowsWhatASoftcapDoes) {
  const std::string cap = explained("softcap:30");
  EXPECT_TRUE(contains(cap, "100 becomes 29.9")) << cap;
  EXPECT_TRUE(contains(cap, "1 becomes 0.9996")) << cap;
}

TEST(Explain, SaysWhatIsOfSingleTensors) {
  const std::string layout = explained("layout=bhsd+dout/transposed");
  EXPECT_TRUE(contains(layout, "dout: batch, head, channel, row")) << layout;
  const std::string formats = explained("bf16+e4m3:token+e4m3:16>f32");
  EXPECT_TRUE(contains(formats, "key: e4m3")) << formats;
  EXPECT_TRUE(contains(formats, "one scale for each row")) << formats;
  EXPECT_TRUE(contains(formats, "one scale for each 16 channels")) << formats;
  EXPECT_TRUE(contains(explained("paged:16"), "Not judged yet"));
}

TEST(Explain, KnowsWordsWithArguments) {
  for (const char* word : {"alibi",         "bias:head",      "sink:head",       "score=softcap:2&alibi",
                           "fill=outliers", "dtype=bf16",     "bf16>f32",        "layout=bhsd",
                           "shape",         "dropout",        "padding=left",    "spare_rows=8",
                           "value=key",     "wants=out+dkey", "deterministic=0", "token",
                           "ulysses",       "straggler",      "tree:5",          "causal|blocks:3"})
    explained(word);
}

TEST(Explain, RefusesWhatIsNoWord) {
  for (const char* word : {"window:4", "softcap:x", "r_dett", "mask=casual", "fill=nothing", "padding=top", "", "a b"})
    EXPECT_EQ(shell(fmt::format("attestone explain '{}' 2>&1", word)).status, 2) << word;
}

}  // namespace
}  // namespace attestone
