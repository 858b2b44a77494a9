// SPDX-License-Identifier: Apache-2.0
// What outside kernels say, names, refusals and messages, reaches the reports as text, whatever it would be to a
// terminal, a browser or a reader of reports.
// slow: starts processes that hang
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <pugixml.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>

#include "tests/conformance/hostile/hostile_case.hpp"
#include "tests/conformance/reports/json_of.hpp"
#include "tests/places.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

/// A kernel of the corpus, or a program (whose name then ends with .py), and a format.
using Saying = std::tuple<std::string, std::string>;

class HostileText : public testing::TestWithParam<Saying> {
 protected:
  static std::string door() {
    std::string_view name = std::get<0>(GetParam());
    if (!name.ends_with(".py")) return fmt::format("--plugin='{}/hostile/{}.so'", program_folder(), name);
    name.remove_suffix(std::string_view(".py").size());
    for (const HostileCase& program : hostile_cases("tests/hostile_programs", "#"))
      if (program.name == name) return fmt::format("--program='{}'", command_of(program));
    throw std::invalid_argument(fmt::format("there is no program {}", name));
  }
};

TEST_P(HostileText, StaysText) {
  const HostileGround ground;
  std::ofstream(ground.folder / "visible.txt") << "# nothing\n";
  const std::string& format = std::get<1>(GetParam());
  const HostileOutput output = ground.run(door(), "--property=value_bound 'shape=1x1x2x3x4'", format);
  EXPECT_TRUE(output.status == 1 || output.status == 5) << output.status << output.narration;
  for (const std::string& text : {output.report, output.narration}) {
    EXPECT_FALSE(obeyed_by_terminals(text)) << text;
    if (format != "text" && format != "markdown") continue;  // others quote lines as a whole
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_FALSE(line.starts_with("kernel: conforms")) << text;
      EXPECT_FALSE(line.starts_with("| a | b |")) << text;
    }
  }
  if (format == "markdown") {
    EXPECT_EQ(output.report.find("<script>"), std::string::npos) << output.report;
  }
  if (format == "junit") {
    pugi::xml_document junit;
    ASSERT_TRUE(junit.load_string(output.report.c_str())) << output.report;
    EXPECT_TRUE(junit.select_node("//testcase[@name='x']").node().empty()) << output.report;
  }
  if (format == "json") {
    EXPECT_FALSE(json_of(output.report).is_discarded()) << output.report;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, HostileText,
                         testing::Combine(testing::Values("name_with_a_report", "name_of_no_text",
                                                          "message_with_a_report", "message_of_no_text",
                                                          "describes_with_a_report.py", "error_with_a_report.py",
                                                          "refuses_with_a_report.py"),
                                          testing::Values("text", "markdown", "junit", "json")),
                         by_parameter);

}  // namespace
}  // namespace attestone
