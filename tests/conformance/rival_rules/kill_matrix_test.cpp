// SPDX-License-Identifier: Apache-2.0
// The kill matrix: rulings that can be foreseen, false alarms that are counted, and formats that say the same.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pugixml.hpp>
#include <sstream>

#include "conformance/problems/suite.hpp"
#include "conformance/rival_rules/correct_kernels.hpp"
#include "conformance/rival_rules/courtroom.hpp"
#include "conformance/rival_rules/formats/matrix_format.hpp"
#include "reference/numerics/exactness.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/reports/json_of.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

const KillMatrix& small_matrix() {
  static const KillMatrix matrix = kill_matrix({
      .judges = {Registry<Judge>::find("assert_close"), Registry<Judge>::find("backend_bench"),
                 Registry<Judge>::find("onnx"), Registry<Judge>::find("triton_tutorial")},
      .mutants = {Registry<Mutant>::find("forgotten_buffer"), Registry<Mutant>::find("kv_head_modulo"),
                  Registry<Mutant>::find("no_keys_crash"), Registry<Mutant>::find("query_gradient_zero"),
                  Registry<Mutant>::find("scale_twice")},
      .suite = "one problem",
      .suite_problems = parse_problems("shape=1x4/2x17x33x8"),
  });
  return matrix;
}

// slow together: share one matrix, which takes ten seconds
TEST(KillMatrix, HoldsTheRulingsThatCanBeForeseen) {
  const KillMatrix& matrix = small_matrix();
  const auto ruling = [&](std::size_t mutant, std::size_t judge) { return matrix.mutants[mutant].convictions[judge]; };
  constexpr std::size_t assert_close = 0, backend_bench = 1, onnx = 2, triton = 3;
  // Nobody but us measures memory. assert_close convicts every kernel on its usual inputs, in f16 and bf16.
  EXPECT_EQ(ruling(0, onnx).on_usual_inputs, Ruling::let_through);
  EXPECT_EQ(ruling(0, triton).on_its_problem, Ruling::let_through);
  EXPECT_EQ(ruling(0, assert_close).on_usual_inputs, Ruling::convicted_with_twin);
  EXPECT_EQ(ruling(0, assert_close).on_its_problem, Ruling::let_through);
  // ONNX groups heads, Triton's tutorial does not.
  EXPECT_EQ(ruling(1, onnx).on_usual_inputs, Ruling::convicted);
  EXPECT_EQ(ruling(1, triton).on_usual_inputs, Ruling::let_through);
  EXPECT_EQ(ruling(1, triton).on_its_problem, Ruling::convicted);
  // A crash convicts before every judge, where anybody asks.
  for (std::size_t j = 0; j < matrix.judges.size(); ++j) EXPECT_EQ(ruling(2, j).on_its_problem, Ruling::convicted);
  EXPECT_EQ(ruling(2, onnx).on_usual_inputs, Ruling::let_through);
  // Those that look at O alone do not see gradients.
  EXPECT_FALSE(ruling(3, onnx).convicted());
  EXPECT_FALSE(ruling(3, backend_bench).convicted());
  EXPECT_EQ(ruling(3, triton).on_usual_inputs, Ruling::convicted);
  for (std::size_t j = 0; j < matrix.judges.size(); ++j) EXPECT_TRUE(ruling(4, j).convicted());
}

/// How many calls it makes to show each of these problems to each correct kernel that takes it; or to those of which
/// the rules of others say something, for they know nothing of conventions and of rounded rows.
index calls_of(const std::vector<Problem>& problems, bool by_rules = false) {
  index calls = 0;
  for (const SharedKernel& kernel : correct_kernels())
    calls += std::ranges::count_if(problems, [&](const Problem& problem) {
      const bool has_rules = kernel->conventions() == Conventions{} && reads_what_is_given(kernel->numerics(problem));
      return kernel->takes(problem) && (!by_rules || has_rules);
    });
  return calls;
}

// slow together: share one matrix, which takes ten seconds
TEST(KillMatrix, AddsUp) {
  const std::vector<JudgeColumn> scores = small_matrix().by_judge();
  const JudgeColumn& triton = scores[3];
  EXPECT_EQ(triton.judge->name, "triton_tutorial");
  EXPECT_EQ(triton.kills_on_usual_inputs, 2);
  EXPECT_EQ(triton.kills, 4);
  std::vector<Problem> problems;
  for (const MutantRow& row : small_matrix().mutants)
    for (const Problem& problem : in_every_format(*row.mutant)) problems.push_back(problem);
  const index calls = calls_of(problems);
  EXPECT_EQ(problems.size(), 5u * 3);
  EXPECT_GE(calls, 12 * 5 * 3);
  EXPECT_EQ(triton.on_problems.cases, calls_of(problems, true));
  EXPECT_EQ(triton.on_usual_inputs.cases, calls_of(parse_suite(triton.judge->usual, "usual"), true));
  EXPECT_EQ(triton.on_usual_inputs.alarms, 0);
  EXPECT_GT(scores[0].on_usual_inputs.alarms, 0) << "assert_close is too strict for f16 by design";
  EXPECT_FALSE(scores[0].on_usual_inputs.first.empty());
  EXPECT_EQ(small_matrix().our_kills(), 5);
  EXPECT_EQ(small_matrix().our_alarms().cases, calls);
  EXPECT_TRUE(small_matrix().flawless());
}

// slow together: share one matrix, which takes ten seconds
TEST(KillMatrix, ShowsWhatASuiteAloneCatches) {
  std::vector<bool> by_suite;
  for (const MutantRow& mutant : small_matrix().mutants) by_suite.push_back(mutant.by_suite);
  // Every head has keys, and nobody asks for gradients.
  EXPECT_EQ(by_suite, (std::vector<bool>{true, true, false, false, true}));
  EXPECT_EQ(small_matrix().suite_kills(), 3);
  EXPECT_EQ(small_matrix().suite_alarms().alarms, 0) << small_matrix().suite_alarms().first;
  EXPECT_GT(small_matrix().suite_alarms().cases, 12 * 20);
}

// slow together: share one matrix, which takes ten seconds
TEST(KillMatrix, IsNotFlawlessWithAFalseAlarmOrALostMutant) {
  KillMatrix alarmed = small_matrix();
  alarmed.correct[0].ours.add(true, "shape=1x1x1x1x1");
  EXPECT_FALSE(alarmed.flawless());
  KillMatrix alarmed_by_suite = small_matrix();
  alarmed_by_suite.correct[0].by_suite.add(true, "shape=1x1x1x1x1");
  EXPECT_FALSE(alarmed_by_suite.flawless());
  KillMatrix lost = small_matrix();
  lost.mutants[0].by_its_property = Verdict::passed();
  EXPECT_FALSE(lost.flawless());
  KillMatrix accused = small_matrix();
  accused.mutants[0].twin = Verdict::failed("wrong-number", "");
  EXPECT_FALSE(accused.flawless());
}

std::string shown_as(const char* name) {
  std::ostringstream text;
  Registry<MatrixFormat>::find(name)->write(small_matrix(), text);
  return text.str();
}

// slow together: share one matrix, which takes ten seconds
TEST(MatrixFormats, SayTheSame) {
  const auto json = json_of(shown_as("json"));
  EXPECT_EQ(json["schema"], "attestone.score/1");
  EXPECT_EQ(json["kills"], 5);
  EXPECT_EQ(json["judges"][3]["kills"], 4);
  EXPECT_EQ(json["suite"]["kills"], 3);
  EXPECT_EQ(json["mutants"][3]["convicted_by_suite"], false);
  EXPECT_EQ(json["mutants"][3]["judges"]["triton_tutorial"]["on_usual_inputs"], "convicted");
  EXPECT_EQ(json["mutants"][0]["judges"]["assert_close"]["on_usual_inputs"], "convicted with its twin");
  EXPECT_EQ(json["correct_kernels"].size(), small_matrix().correct.size());

  const std::string text = shown_as("text");
  EXPECT_NE(text.find("\nforgotten_buffer                  #   #     ~. .. .. ..\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" 4  triton_tutorial          2 of 5       4 of 5"), std::string::npos) << text;

  pugi::xml_document svg;
  ASSERT_TRUE(svg.load_string(shown_as("svg").c_str()));
  index kills = 0, stripes = 0;
  for (const auto& node : svg.select_nodes("//rect[@class='kill' and title!='']")) kills += node.node() ? 1 : 0;
  for (const auto& node : svg.select_nodes("//rect[@class='twin' and title!='']")) stripes += node.node() ? 1 : 0;
  index counted = 0, with_twin = 0;
  for (const MutantRow& mutant : small_matrix().mutants)
    for (const Conviction& by : mutant.convictions)
      for (const Ruling ruling : {by.on_usual_inputs, by.on_its_problem})
        counted += ruling == Ruling::convicted ? 1 : 0, with_twin += ruling == Ruling::convicted_with_twin ? 1 : 0;
  EXPECT_EQ(kills, counted);
  EXPECT_EQ(stripes, with_twin);
}

TEST(ScoreCommand, AnswersMistakesWithAHint) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"attestone score --judge=onxn", "did you mean 'onnx'?"},
      {"attestone score --mutant=lost_tial", "did you mean 'lost_tail'?"},
      {"attestone score --format=sgv", "did you mean 'svg'?"},
      {"attestone score --judge=onnx --mutant=lost_tail --suite=somke", "did you mean 'smoke'?"},
      {"attestone score --jugde=onnx", "did you mean '--judge'?"},
  };
  for (const auto& [command, hint] : mistakes) {
    const ShellOutput output = shell(std::string(command) + " 2>&1");
    EXPECT_EQ(output.status, 2) << command;
    EXPECT_NE(output.text.find(hint), std::string::npos) << command << "\n" << output.text;
  }
}

TEST(ScoreCommand, WritesEveryFormat) {
  const ShellOutput output = shell(
      "d=$(mktemp -d) && attestone score --judge=onnx --mutant=lost_tail --report=$d >/dev/null 2>&1 && ls $d && rm -r "
      "$d");
  EXPECT_EQ(output.text, "score.json\nscore.svg\nscore.txt\n");
}

}  // namespace
}  // namespace attestone
