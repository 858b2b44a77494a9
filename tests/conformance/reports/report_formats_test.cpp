// SPDX-License-Identifier: Apache-2.0
// Reports hold whatever a kernel says: no evidence breaks a table, an XML document or a terminal.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "conformance/reports/wording.hpp"
#include "reference/registry.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

// A table's bar, a line's end, markup of both kinds, a control sequence, half a character, and a character.
const std::string evidence = "left|right\nnext <b>&amp; `code` ]]> \033[31m \xc3 \xe2\x88\x9e \x01";

Report nasty_report() {
  const Property& property = Registry<Property>::all().at("value_bound");
  const Problem problem = parse_problem("shape=1x1x4x4x4 mask=causal|window:1:1");
  KernelRun run;
  run.kernel = "odd|kernel";
  run.option = "--kernel='odd|kernel'";
  const Verdict failed = Verdict::failed("crashed", evidence);
  run.cases = {{&property, problem, failed}, {&property, problem, Verdict::inconclusive("unbounded", evidence)}};
  run.failures = {{&property, failed, problem, problem, 1, {}, run.option},
                  {nullptr, Verdict::failed("required", evidence), {}, {}}};
  run.counts = {{Outcome::failed, 1}, {Outcome::inconclusive, 1}};
  run.by_property = {{"value_bound", run.counts}};
  run.refusals = {{evidence, 2}};
  run.coverage = {{"mask=|", run.counts}};
  return {"0", "none", problem.text(), {run}};
}

std::string written(const char* format) {
  std::ostringstream out;
  Registry<ReportFormat>::find(format)->write(nasty_report(), Style{}, out);
  return out.str();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

TEST(ReportFormats, LetNoControlCharacterAndNoBrokenCharacterThrough) {
  for (const auto& [name, format] : Registry<ReportFormat>::all()) {
    const std::string text = written(name.c_str());
    for (const char* forbidden : {"\033", "\x01", "\xc3 "}) EXPECT_EQ(count(text, forbidden), 0u) << name << text;
    EXPECT_GE(count(text, "\xe2\x88\x9e"), 1u) << name << ": a proper character was lost\n" << text;
    EXPECT_GE(count(text, "left"), 1u) << name;
  }
}

TEST(ReportFormats, KeepEveryCharacterOfAnXmlDocument) {
  ASSERT_EQ(shell("python3 --version >/dev/null 2>&1").status, 0) << "python3 is missing, which ./run test installs";
  const ScratchFolder folder;
  const std::string path = folder.string() + "/report.xml";
  std::ofstream(path) << written("junit");
  const ShellOutput read = shell(
      "python3 -c '\nimport xml.etree.ElementTree as xml\n"
      "for kind in \"failure\", \"skipped\":\n"
      "  print(xml.parse(\"" +
      path + "\").find(f\".//{kind}\").get(\"message\"))\n' 2>&1");
  const std::string shown = "left|right\nnext <b>&amp; `code` ]]> \uFFFD[31m \uFFFD \u221E \uFFFD\n";
  EXPECT_EQ(read.text, shown + "inconclusive: " + shown);
}

TEST(ReportFormats, TakeForPrintableWhatUnicodeDoes) {
  for (const char* text :
       {"a\tb\n", "\u00A0", "\u00E9", "\u07FF", "\u0800", "\uD7FF", "\uE000", "\U00010000", "\U0010FFFF"})
    EXPECT_EQ(printable(text), text);
  const std::pair<const char*, int> broken[] = {
      {"\x7f", 1},              // delete
      {"\xc2\x80", 2},          // a control beyond ASCII
      {"\xc0\xaf", 2},          // '/' in two bytes where one would do
      {"\xe0\x9f\xbf", 3},      // U+07FF in three
      {"\xed\xa0\x80", 3},      // half a pair of UTF-16
      {"\xef\xbf\xbf", 3},      // no character
      {"\xf4\x90\x80\x80", 4},  // beyond U+10FFFF
      {"\xe2\x88", 2},          // cut short
  };
  for (const auto& [text, bytes] : broken) {
    std::string replaced;
    for (int i = 0; i < bytes; ++i) replaced += "\uFFFD";
    EXPECT_EQ(printable(text), replaced) << bytes;
  }
}

TEST(ReportFormats, KeepMarkdownTablesAndLinesWhole) {
  std::istringstream lines(written("markdown"));
  std::size_t columns = 0, rows = 0, bullets = 0;
  for (std::string line, before; std::getline(lines, line); before = line) {
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    if (line.rfind("| ", 0) == 0 || line.rfind("|-", 0) == 0) {
      if (before.empty()) columns = bars;
      EXPECT_EQ(bars, columns) << line;
      ++rows;
    } else if (line.rfind("attestone run", 0) != 0) {
      EXPECT_EQ(bars, 0u) << line;
    }
    bullets += line.rfind("* left\\|right next \\<b\\>\\&amp; \\`code\\`", 0) == 0 ? 1 : 0;
  }
  EXPECT_EQ(rows, 3u);     // header, rule, value_bound
  EXPECT_EQ(bullets, 2u);  // the failure of the property, and that of the run
}

TEST(ReportFormats, FenceTheReproOfMarkdown) {
  const std::string text = written("markdown");
  EXPECT_EQ(count(text,
                  "\n```sh\nattestone run --kernel='odd|kernel' --property=value_bound 'shape=1x1x4x4x4 "
                  "mask=causal|window:1:1'\n```\n"),
            1u)
      << text;
  EXPECT_EQ(count(text, "(`attestone explain crashed`)"), 1u) << text;
}

}  // namespace
}  // namespace attestone
