// SPDX-License-Identifier: Apache-2.0
// Reading the words of `attestone run`.
#include "conformance/program/request/run_request.hpp"

#include <algorithm>

#include "conformance/problems/coverage.hpp"
#include "conformance/program/request/named.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<std::string> read_features(const std::vector<std::string>& values) {
  std::vector<std::string> known{std::string(default_class), std::string(default_conventions)}, required;
  for (const Feature& feature : features()) known.emplace_back(feature.name);
  for (const NamedPart& part : parts_of("--require", values)) {
    if (std::ranges::find(known, part.text) == known.end())
      throw UserError("unknown feature '" + part.text + "'", part.place, did_you_mean(part.text, known));
    required.push_back(part.text);
  }
  return required;
}

std::vector<const Property*> read_properties(const std::string& option, const std::vector<std::string>& values) {
  std::vector<const Property*> properties;
  for (const NamedPart& part : parts_of(option, values)) properties.push_back(&named<Property>(part, "property"));
  return properties;
}

}  // namespace

RunRequest read_run_request(const RunWords& words) {
  RunRequest request;
  const WorldKind world = read_world(words);
  // Rank 0 says what is wrong with the rest.
  request.serves_another_rank = serves_another_rank(world);
  if (request.serves_another_rank) return request;
  request.format = &named<ReportFormat>(value_of("--format", words.format), "format");
  request.required = read_features(words.required);
  request.properties = read_properties("--property", words.properties);
  request.excluded = read_properties("--except-property", words.excluded);
  request.budget_seconds = read_seconds("--budget", words.budget);
  request.fail_fast = words.fail_fast, request.shrink = !words.no_shrink;
  request.verbose = words.verbose;
  request.allow_incomplete = words.allow_incomplete, request.report_directory = words.report_directory;
  request.kernels = read_kernel_request(words, world);
  request.problems = read_problem_request(words);
  return request;
}

}  // namespace attestone::inline conformance
