// SPDX-License-Identifier: Apache-2.0
// The kill matrix for programs: schema attestone.score/1.
#include <nlohmann/json.hpp>
#include <ostream>

#include "conformance/kill_matrix/views/view.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

using Json = nlohmann::ordered_json;

Json alarms_json(const FalseAlarms& alarms) {
  Json json{{"cases", alarms.cases}, {"alarms", alarms.alarms}};
  if (!alarms.first.empty()) json["first"] = alarms.first;
  return json;
}

Json judge_json(const JudgeScore& score) {
  Json looks_at = Json::array();
  for (const AnswerTensor tensor : score.judge->looks_at) looks_at.push_back(std::string(text(tensor)));
  return {{"name", std::string(score.judge->name)},
          {"rule", std::string(score.judge->rule)},
          {"source", std::string(score.judge->source)},
          {"looks_at", looks_at},
          {"usual_inputs", std::string(score.judge->usual)},
          {"scaled", std::string(score.judge->scaled)},
          {"kills_on_usual_inputs", score.kills_on_usual_inputs},
          {"kills", score.kills},
          {"false_alarms_on_usual_inputs", alarms_json(score.on_usual_inputs)},
          {"false_alarms_on_problems", alarms_json(score.on_problems)}};
}

Json mutant_json(const MutantScore& score, const KillMatrix& matrix) {
  const std::vector<const Judge*>& judges = matrix.judges;
  Json json{{"name", std::string(score.mutant->name)},         {"summary", std::string(score.mutant->summary)},
            {"source", std::string(score.mutant->source)},     {"problem", std::string(score.mutant->problem)},
            {"property", std::string(score.mutant->property)}, {"convicted", score.convicted()},
            {"twin", std::string(text(score.twin.outcome))}};
  if (!matrix.suite.empty()) json["convicted_by_suite"] = score.by_suite;
  json["judges"] = Json::object();
  for (std::size_t j = 0; j < judges.size(); ++j)
    json["judges"][std::string(judges[j]->name)] = {
        {"on_usual_inputs", std::string(text(score.convictions[j].on_usual_inputs))},
        {"on_its_problem", std::string(text(score.convictions[j].on_its_problem))}};
  return json;
}

Json correct_json(const CorrectScore& score, const std::vector<const Judge*>& judges) {
  Json json{{"kernel", score.kernel}, {"attestone", alarms_json(score.ours)}};
  json["judges"] = Json::object();
  for (std::size_t j = 0; j < judges.size(); ++j)
    json["judges"][std::string(judges[j]->name)] = {{"on_usual_inputs", alarms_json(score.on_usual_inputs[j])},
                                                    {"on_problems", alarms_json(score.on_problems[j])}};
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
  for (const JudgeScore& score : matrix.by_judge()) json["judges"].push_back(judge_json(score));
  json["mutants"] = Json::array();
  for (const MutantScore& score : matrix.mutants) json["mutants"].push_back(mutant_json(score, matrix));
  json["correct_kernels"] = Json::array();
  for (const CorrectScore& score : matrix.correct)
    json["correct_kernels"].push_back(correct_json(score, matrix.judges));
  out << json.dump(1) << '\n';
}

const Registration<MatrixView> registered{{
    .name = "json",
    .extension = "json",
    .summary = "for programs: schema attestone.score/1",
    .write = write,
}};

}  // namespace
}  // namespace attestone
