// SPDX-License-Identifier: Apache-2.0
// A bench for programs: schema attestone.bench/1, described by docs/bench.schema.json.
#include <nlohmann/json.hpp>
#include <ostream>

#include "conformance/bench/formats/bench_format.hpp"
#include "conformance/bench/scaling.hpp"
#include "conformance/bench/spread.hpp"
#include "conformance/bench/standing.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const std::vector<double>& all) {
  if (all.empty()) return nullptr;
  const Spread spread = spread_of(all);
  return {{"median", spread.median},
          {"least", spread.least},
          {"lower_quartile", spread.lower_quartile},
          {"upper_quartile", spread.upper_quartile},
          {"most", spread.most}};
}

Json limits_json(const ThreadLimits& of) {
  Json json{{"threads", of.threads}, {"per_second", Json::object()}};
  for (const MeasuredLimit& limit : of.limits) json["per_second"][limit.name] = limit.rate ? Json(*limit.rate) : Json();
  return json;
}

Json peer_json(const PeerFacts& peer) {
  Json json{{"name", peer.name}};
  if (!peer.absent.empty()) {
    json["absent"] = peer.absent;
    return json;
  }
  json["version"] = peer.version, json["meaning"] = peer.meaning;
  return json;
}

Json entry_json(const Entry& entry) {
  Json json{{"contender", entry.contender}};
  if (!entry.skipped.empty()) json["skipped"] = entry.skipped;
  if (!entry.misbehaved.empty()) json["failed"] = entry.misbehaved;
  json["seconds"] = spread_json(entry.seconds);
  json["share"] = spread_json(entry.shares);
  json["rounds"] = {{"seconds", entry.seconds}, {"shares", entry.shares}};
  if (entry.memory) json["peak_memory"] = {{"bytes", entry.memory->bytes}, {"of", entry.memory->of}};
  if (!entry.notes.empty()) json["notes"] = entry.notes;
  return json;
}

Json cell_json(const BenchCell& cell) {
  Json json{{"problem", cell.problem.text()},
            {"pass", cell.problem.backward ? "backward" : "forward"},
            {"threads", cell.threads},
            {"limit", cell.limit},
            {"flops", cell.flops},
            {"key_value_bytes", cell.bytes},
            {"may_lie_in_cache", cell.in_cache},
            {"rounds_counted", cell.rates.size()},
            {"rounds_unsteady", cell.unsteady_rounds},
            {"limit_per_second", cell.rates}};
  json["entries"] = Json::array();
  for (const Entry& entry : cell.entries) json["entries"].push_back(entry_json(entry));
  return json;
}

void write(const BenchResult& result, std::ostream& out) {
  Json json{{"schema", "attestone.bench/1"},
            {"version", result.version},
            {"compiler", result.compiler},
            {"instruction_set", result.instruction_set},
            {"processor", result.processor},
            {"system", result.system},
            {"date", result.date},
            {"last_cache_bytes", result.last_cache},
            {"rounds", result.rounds},
            {"largest_move", result.largest_move},
            {"cells_asked", result.cells_asked},
            {"cut_short", result.cut_short ? Json(std::string(text(*result.cut_short))) : Json()}};
  if (!result.own_failure.empty()) json["own_failure"] = result.own_failure;
  for (const char* list : {"limits", "peers", "cells", "growth", "speed_up", "against_fastest_peer"})
    json[list] = Json::array();
  for (const ThreadLimits& of : result.limits) json["limits"].push_back(limits_json(of));
  for (const PeerFacts& peer : result.peers) json["peers"].push_back(peer_json(peer));
  for (const BenchCell& cell : result.cells) json["cells"].push_back(cell_json(cell));
  for (const Growth& growth : growths(result))
    json["growth"].push_back({{"contender", growth.contender},
                              {"threads", growth.threads},
                              {"family", growth.family},
                              {"slope", growth.slope},
                              {"tokens_and_seconds", growth.points}});
  for (const SpeedUp& one : speed_ups(result))
    json["speed_up"].push_back(
        {{"contender", one.contender}, {"problem", one.problem}, {"threads_and_times_as_fast", one.points}});
  for (const Standing& one : standings(result))
    json["against_fastest_peer"].push_back({{"contender", one.contender},
                                            {"kind", one.kind},
                                            {"cells", one.cells},
                                            {"geometric_mean", one.geometric_mean},
                                            {"least", one.least},
                                            {"least_in", one.least_in}});
  constexpr int indent = 1;
  out << json.dump(indent, ' ', true, Json::error_handler_t::replace) << '\n';
}

const Registration<BenchFormat> registered{{
    .name = "json",
    .extension = "json",
    .summary = "for programs: schema attestone.bench/1",
    .write = write,
}};

}  // namespace
}  // namespace attestone::inline conformance
