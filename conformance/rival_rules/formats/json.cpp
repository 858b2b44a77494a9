// SPDX-License-Identifier: Apache-2.0
// The kill matrix for programs: schema attestone.score/1.
#include <nlohmann/json.hpp>
#include <ostream>

#include "conformance/rival_rules/formats/matrix_format.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Json = nlohmann::ordered_json;

Json alarms_json(const FalseAlarms& alarms) {
  Json json{{"cases", alarms.cases}, {"alarms", alarms.alarms}};
  if (!alarms.first.empty()) json["first"] = alarms.first;
  return json;
}

Json judge_json(const JudgeColumn& column) {
  Json looks_at = Json::array();
  for (const TensorName tensor : column.judge->looks_at) looks_at.push_back(std::string(text(tensor)));
  return {{"name", std::string(column.judge->name)},
          {"rule", std::string(column.judge->rule)},
          {"source", std::string(column.judge->source)},
          {"looks_at", looks_at},
          {"usual_inputs", std::string(column.judge->usual)},
          {"scaled", std::string(column.judge->scaled)},
          {"kills_on_usual_inputs", column.kills_on_usual_inputs},
          {"kills", column.kills},
          {"false_alarms_on_usual_inputs", alarms_json(column.on_usual_inputs)},
          {"false_alarms_on_problems", alarms_json(column.on_problems)}};
}

Json mutant_json(const MutantRow& row, const KillMatrix& matrix) {
  const std::vector<const Judge*>& judges = matrix.judges;
  Json json{{"name", std::string(row.mutant->name)},         {"summary", std::string(row.mutant->summary)},
            {"source", std::string(row.mutant->source)},     {"problem", std::string(row.mutant->problem)},
            {"property", std::string(row.mutant->property)}, {"convicted", row.convicted()},
            {"twin", std::string(text(row.twin.outcome))}};
  if (!matrix.suite.empty()) json["convicted_by_suite"] = row.by_suite;
  json["judges"] = Json::object();
  for (std::size_t j = 0; j < judges.size(); ++j)
    json["judges"][std::string(judges[j]->name)] = {
        {"on_usual_inputs", std::string(text(row.convictions[j].on_usual_inputs))},
        {"on_its_problem", std::string(text(row.convictions[j].on_its_problem))}};
  return json;
}

Json correct_json(const CorrectRow& row, const std::vector<const Judge*>& judges) {
  Json json{{"kernel", row.kernel}, {"attestone", alarms_json(row.ours)}};
  json["judges"] = Json::object();
  for (std::size_t j = 0; j < judges.size(); ++j)
    json["judges"][std::string(judges[j]->name)] = {{"on_usual_inputs", alarms_json(row.on_usual_inputs[j])},
                                                    {"on_problems", alarms_json(row.on_problems[j])}};
  return json;
}

void write(const KillMatrix& matrix, std::ostream& out) {
  Json json{{"schema", "attestone.score/1"},
            {"kills", matrix.our_kills()},
            {"false_alarms", alarms_json(matrix.our_alarms())},
            {"flawless", matrix.flawless()}};
  if (!matrix.suite.empty())
    json["suite"] = {
        {"name", matrix.suite}, {"kills", matrix.suite_kills()}, {"false_alarms", alarms_json(matrix.suite_alarms())}};
  json["judges"] = Json::array();
  for (const JudgeColumn& column : matrix.by_judge()) json["judges"].push_back(judge_json(column));
  json["mutants"] = Json::array();
  for (const MutantRow& row : matrix.mutants) json["mutants"].push_back(mutant_json(row, matrix));
  json["correct_kernels"] = Json::array();
  for (const CorrectRow& row : matrix.correct) json["correct_kernels"].push_back(correct_json(row, matrix.judges));
  out << json.dump(1) << '\n';
}

const Registration<MatrixFormat> registered{{
    .name = "json",
    .extension = "json",
    .summary = "for programs: schema attestone.score/1",
    .write = write,
}};

}  // namespace
}  // namespace attestone::inline conformance
