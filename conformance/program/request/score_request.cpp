// SPDX-License-Identifier: Apache-2.0
// Reading the words of `attestone score`.
#include "conformance/program/request/score_request.hpp"

#include "conformance/problems/suite.hpp"
#include "conformance/program/request/named.hpp"

namespace attestone::inline conformance {

ScoreRequest read_score_request(const ScoreWords& words) {
  ScoreRequest request;
  request.format = &named<MatrixFormat>(value_of("--format", words.format), "format");
  for (const NamedPart& part : parts_of("--judge", words.judges))
    request.options.judges.push_back(&named<Judge>(part, "judge"));
  for (const NamedPart& part : parts_of("--mutant", words.mutants))
    request.options.mutants.push_back(&named<Mutant>(part, "mutant"));
  request.options.suite = words.suite;
  if (!words.suite.empty()) request.options.suite_problems = load_suite(words.suite);
  request.report_directory = words.report_directory;
  return request;
}

}  // namespace attestone::inline conformance
