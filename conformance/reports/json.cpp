// SPDX-License-Identifier: Apache-2.0
// The report that programs read: schema attestone.report/1, described by docs/report.schema.json.
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>

#include "conformance/reports/causes.hpp"
#include "conformance/reports/report.hpp"
#include "conformance/reports/wording.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinities: they are the strings "nan", "inf" and "-inf".
Json number(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

Json counts_json(const Counts& counts) {
  Json json = Json::object();
  for (const auto& [outcome, count] : counts) json[std::string(text(outcome))] = count;
  return json;
}

Json worst_json(const WorstElement& worst) {
  Json json{{"tensor", worst.tensor},
            {"batch", worst.batch},
            {"head", worst.head},
            {"query", worst.query},
            {"channel", worst.channel},
            {"visible_keys", worst.visible_keys},
            {"expected", number(worst.expected)},
            {"got", number(worst.got)},
            {"ulps", number(worst.ulps)},
            {"r_det", number(worst.r_det)},
            {"r_prob", number(worst.r_prob)}};
  if (worst.query_tile) json["query_tile"] = *worst.query_tile;
  return json;
}

Json accuracy_json(const Accuracy& a) {
  return {{"max_ulp", number(a.max_ulp)}, {"p99_ulp", number(a.p99_ulp)},
          {"r_det", number(a.r_det)},     {"r_prob", number(a.r_prob)},
          {"rmse", number(a.rmse)},       {"relative_l1", number(a.relative_l1)},
          {"cosine", number(a.cosine)},   {"signed_mean", number(a.signed_mean)}};
}

Json by_name_json(const MemoryUse& use) {
  Json by_name = Json::object();
  for (const auto& [name, bytes] : use.by_name) by_name[name] = bytes;
  return by_name;
}

Json device_json(const DeviceUse& use) {
  return {{"messages", use.messages},
          {"bytes_sent", use.bytes},
          {"peak_bytes", use.peak.bytes},
          {"peak_bytes_by_name", by_name_json(use.peak)}};
}

Json memory_json(const Memory& memory) {
  Json json{{"pass", memory.backward ? "backward" : "forward"},
            {"peak_workspace_bytes", memory.peak.bytes},
            {"peak_bytes_by_name", by_name_json(memory.peak)},
            {"documented_workspace_bytes", memory.documented},
            {"total_bytes", memory.total()}};
  for (const auto& [measured, documented] : memory.devices)
    json["devices"].push_back({{"measured", device_json(measured)}, {"documented", device_json(documented)}});
  return json;
}

Json place_json(const PlaceAccuracy& place) {
  return {{"first", place.first},         {"last", place.last},
          {"elements", place.elements},   {"beyond_bound", place.beyond_bound},
          {"r_det", number(place.r_det)}, {"max_ulp", number(place.max_ulp)}};
}

Json by_place_json(const std::vector<TensorAccuracy>& tensors) {
  Json json = Json::array();
  for (const TensorAccuracy& tensor : tensors) {
    Json axes = Json::object();
    for (const auto& [axis, places] : tensor.axes)
      for (const PlaceAccuracy& place : places) axes[std::string(axis)].push_back(place_json(place));
    json.push_back({{"tensor", tensor.tensor},
                    {"elements", tensor.all.elements},
                    {"beyond_bound", tensor.all.beyond_bound},
                    {"r_det", number(tensor.all.r_det)},
                    {"max_ulp", number(tensor.all.max_ulp)},
                    {"where", tensor.where},
                    {"axes", std::move(axes)}});
  }
  return json;
}

Json verdict_json(const Verdict& verdict) {
  Json json{{"outcome", std::string(text(verdict.outcome))}};
  if (!verdict.reason.empty()) json["reason"] = verdict.reason;
  if (!verdict.evidence.empty()) json["evidence"] = verdict.evidence;
  if (verdict.worst) json["worst"] = worst_json(*verdict.worst);
  if (verdict.accuracy) json["accuracy"] = accuracy_json(*verdict.accuracy);
  if (verdict.memory) json["memory"] = memory_json(*verdict.memory);
  return json;
}

Json case_json(const Case& c) {
  Json json{{"property", std::string(c.property->name)}, {"problem", c.problem.text()}};
  json.update(verdict_json(c.verdict));
  return json;
}

Json circumstances_json(const Circumstances& circumstances) {
  Json json{{"pattern", circumstances.pattern}, {"only_with", circumstances.only_with},
            {"only_if", circumstances.only_if}, {"kinds", Json::array()},
            {"calls", circumstances.calls},     {"fresh_calls", circumstances.fresh_calls}};
  for (const NamedKind& kind : circumstances.kinds)
    json["kinds"].push_back(
        {{"kind", kind.name}, {"says", kind.says}, {"look_at", kind.look_at}, {"predictions", kind.predictions}});
  return json;
}

Json failure_json(const Failure& failure) {
  Json json = verdict_json(failure.verdict);
  if (!failure.property) {
    if (!failure.rerun.empty()) json["repro"] = failure.rerun;
    return json;
  }
  json["property"] = std::string(failure.property->name);
  json["cases"] = failure.count;
  json["first_problem"] = failure.first.text();
  if (!failure.by_place.empty()) json["first_problem_by_place"] = by_place_json(failure.by_place);
  if (!failure.circumstances.empty()) json["circumstances"] = circumstances_json(failure.circumstances);
  json["least_problem"] = failure.least.text();
  json["repro"] = repro_of(failure);
  if (failure.again)
    json["again"] = {{"failed", failure.again->failed},
                     {"runs", failure.again->runs},
                     {"after", failure.again->before.empty() ? Json() : Json(failure.again->before.front().text())}};
  if (failure.derived) json["derived_repro"] = repro_of_derived(failure);
  return json;
}

Json class_json(const DeclaredClass& declared) {
  Json json{{"default", declared.name}, {"looser", Json::array()}};
  for (const LooserField& field : declared.looser)
    json["looser"].push_back({{"field", field.name}, {"declared", field.declared}, {"allowed", field.allowed}});
  json["invariant"] = Json::array();
  for (const InvarianceWord& word : invariance_words())
    if (includes(declared.invariant, word.invariance)) json["invariant"].push_back(std::string(word.name));
  return json;
}

/// A cause, each one once: `failures`, next to it, lists every property.
Json cause_json(const Cause& cause) {
  Json json{{"failure", name_of(*cause.failure)},
            {"reason", cause.failure->verdict.reason},
            {"evidence", cause.failure->verdict.evidence}};
  json["also_failed_by"] = Json::array();
  for (const Failure* other : cause.others) json["also_failed_by"].push_back(name_of(*other));
  if (const auto& shared = cause.shared)
    json["shared"] = {{"traits", shared->says},
                      {"failing_problems", shared->failing},
                      {"passing_problems", shared->passing},
                      {"chance", number(shared->chance)}};
  return json;
}

Json would_pass_json(const std::optional<SufficientDeclaration>& declaration) {
  if (!declaration) return nullptr;
  return {{"says", declaration->says}, {"declares", declaration->declares}, {"problems", declaration->problems}};
}

Json lean_json(const std::optional<LeanOverRun>& lean) {
  if (!lean) return nullptr;
  return {{"statistic", lean->statistic},
          {"problems", lean->problems},
          {"lean", number(lean->lean)},
          {"deviation", number(lean->deviation)},
          {"systematic", number(lean->systematic)},
          {"log10_evidence", number(lean->log10_evidence)},
          {"convicts", lean->convicts()}};
}

Json run_json(const KernelRun& run) {
  Json json{{"kernel", run.kernel},
            {"conforms", run.conforms()},
            {"complete", run.complete},
            {"uses_attestone", run.uses_attestone},
            {"problems", run.problems},
            {"problems_left_out", run.left_out},
            {"features_left_out", run.features_left_out},
            {"cut_short", run.cut_short ? Json(std::string(text(*run.cut_short))) : Json()},
            {"counts", counts_json(run.counts)}};
  json["properties"] = Json::object();
  for (const auto& [name, counts] : run.by_property) json["properties"][name] = counts_json(counts);
  json["accuracy"] = Json::object();
  for (const auto& [dtype, accuracy] : worst_accuracy(run)) json["accuracy"][dtype] = accuracy_json(accuracy);
  json["accuracy_by_place"] = Json::object();
  for (const auto& [format, least] : run.least_accurate)
    json["accuracy_by_place"][format] = {{"problem", least.problem.text()}, {"tensors", by_place_json(least.by_place)}};
  json["coverage"] = Json::object();
  for (const auto& [feature, counts] : run.coverage) json["coverage"][feature] = counts_json(counts);
  json["reach"] = Json::object();
  for (const auto& [format, reach] : run.reach)
    for (std::size_t axis = 0; axis < reach.size(); ++axis)
      json["reach"][format][std::string(axes_of_reach[axis])] = reach[axis];
  json["adjustments"] = Json::array();
  for (const auto& [change, count] : run.adjustments)
    json["adjustments"].push_back({{"setting", change.setting},
                                   {"from", change.from},
                                   {"to", change.to},
                                   {"why", change.why},
                                   {"problems", count}});
  json["classes"] = Json::object();
  for (const auto& [formats, declared] : run.classes) json["classes"][formats] = class_json(declared);
  json["conventions"] = Json::object();
  for (const DeclaredConvention& own : run.conventions)
    json["conventions"][std::string(own.name)] = {
        {"declared", own.declared}, {"rules", own.rules}, {"meaning", own.meaning}};
  json["refusals"] = Json::object();
  for (const auto& [why, count] : run.refusals) json["refusals"][why] = count;
  json["inconclusive"] = Json::object();
  for (const auto& [property, why] : run.inconclusive) json["inconclusive"][property] = why;
  json["own_failures"] = run.own_failures;
  json["failures"] = Json::array();
  for (const Failure& failure : run.failures) json["failures"].push_back(failure_json(failure));
  json["causes"] = Json::array();
  for (const Cause& cause : causes(run)) json["causes"].push_back(cause_json(cause));
  json["findings"] = Json::array();
  for (const Finding& finding : run.findings)
    json["findings"].push_back({{"variant", finding.name},
                                {"says", finding.says},
                                {"look_at", finding.look_at},
                                {"problem", finding.problem}});
  json["read_out"] = run.read_out;
  json["would_pass"] = would_pass_json(run.would_pass);
  json["faults"] = run.faults;
  json["lean"] = lean_json(run.lean);
  json["cases"] = Json::array();
  for (const Case& c : run.cases) json["cases"].push_back(case_json(c));
  json["time"] = {{"seconds", run.seconds},
                  {"judging_seconds", run.times.all},
                  {"truth_seconds", run.times.truth},
                  {"kernel_seconds", run.times.kernel}};
  return json;
}

/// The JSON with DEL and U+0080 to U+009F escaped, as all other characters are that a terminal obeys.
std::string without_controls(std::string_view json) {
  std::string all;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const auto byte = static_cast<unsigned char>(json[at]);
    const auto next = at + 1 < json.size() ? static_cast<unsigned char>(json[at + 1]) : 0u;
    const bool escapes = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    if (escapes || byte == 0x7f)
      all += fmt::format("\\u{:04x}", escapes ? next : byte);
    else
      all += json[at];
    at += escapes ? 1 : 0;
  }
  return all;
}

void write(const Report& report, const Style&, std::ostream& out) {
  Json json{{"schema", "attestone.report/1"},
            {"version", report.version},
            {"instruction_set", report.instruction_set},
            {"suite", report.suite},
            {"conforms", report.conforms()}};
  json["runs"] = Json::array();
  for (const KernelRun& run : report.runs) json["runs"].push_back(run_json(run));
  constexpr int indent = 1;
  // A kernel's own messages may hold bytes that are no UTF-8.
  out << without_controls(json.dump(indent, ' ', false, Json::error_handler_t::replace)) << '\n';
}

const Registration<ReportFormat> registered{{
    .name = "json",
    .extension = "json",
    .summary = "for programs: schema attestone.report/1",
    .write = write,
}};

}  // namespace
}  // namespace attestone::inline conformance
