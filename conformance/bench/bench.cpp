// SPDX-License-Identifier: Apache-2.0
// Going through the cells.
#include "conformance/bench/bench.hpp"

#include <fmt/format.h>

#include "backends/stop_request.hpp"
#include "conformance/bench/amounts.hpp"

namespace attestone::inline conformance {
namespace {

void tell(const BenchWork& work, const std::string& what) {
  if (work.progress) work.progress(what);
}

/// The fastest rate at which products of the problem's inputs can be added up.
std::string multiply_add_limit(const Problem& problem, const ThreadLimits& limits) {
  if (problem.input.name == "f64") return "f64";
  std::string fastest = "f32";
  if (problem.input.name == "bf16")
    for (const char* name : {"bf16", "bf16_tile"})
      if (limits.rate(name).value_or(0) > limits.rate(fastest).value_or(0)) fastest = name;
  return fastest;
}

/// A contender that is ready, and its entry.
struct Ready {
  Entry entry;
  std::unique_ptr<Runner> runner;
};

Ready made_ready(Contender& contender, const Problem& problem, int threads) {
  Ready one{{contender.name(), "", ""}, nullptr};
  try {
    one.runner = contender.ready(problem, threads);
    one.entry.notes = one.runner->notes();
  } catch (const NotTaken& why) {
    one.entry.skipped = why.what();
  } catch (const Misbehaved& what) {
    one.entry.misbehaved = what.what();
  }
  return one;
}

void note_memory(Ready& one) {
  if (!one.runner || !one.entry.misbehaved.empty()) return;
  try {
    one.entry.memory = one.runner->memory();
  } catch (const Misbehaved& what) {
    one.entry.misbehaved = what.what();
  }
}

}  // namespace

std::optional<double> ThreadLimits::rate(std::string_view name) const {
  for (const MeasuredLimit& limit : limits)
    if (limit.name == name) return limit.rate;
  return std::nullopt;
}

std::string nearest_limit(const Problem& problem, const ThreadLimits& limits) {
  const std::string multiply_adds = multiply_add_limit(problem, limits);
  const double computing = useful_flops(problem) / limits.rate(multiply_adds).value_or(1);
  const double reading = key_value_bytes(problem) / limits.rate("read").value_or(1);
  return reading > computing ? "read" : multiply_adds;
}

void Bench::measure_limits(const BenchWork& work, Limits& limits) {
  ThreadLimits all{limits.threads(), {}};
  for (const LimitKind& kind : limit_kinds()) {
    if (stop_is_asked()) throw Stopped();
    tell(work, fmt::format("limits of {} threads: {}", limits.threads(), kind.name));
    all.limits.push_back({std::string(kind.name), std::string(kind.unit), limits.measure(kind.name)});
  }
  const std::lock_guard lock(mutex_);
  result_.limits.push_back(std::move(all));
}

void Bench::measure_cell(BenchWork& work, const Problem& problem, Limits& limits) {
  const int threads = limits.threads();
  // One limit for a problem, whatever the number of threads.
  BenchCell cell{problem, threads, nearest_limit(problem, snapshot().limits.back())};
  cell.flops = useful_flops(problem), cell.bytes = key_value_bytes(problem);
  cell.amount = cell.limit == "read" ? cell.bytes : cell.flops;
  cell.in_cache = cell.limit == "read" && cell.bytes < static_cast<double>(last_cache_bytes());
  const std::string place = fmt::format("[{}/{}] {} threads={}", snapshot().cells.size() + 1, snapshot().cells_asked,
                                        problem.text(), threads);

  std::vector<Ready> all;
  for (const auto& contender : work.contenders) {
    if (stop_is_asked()) throw Stopped();
    tell(work, fmt::format("{}: {} gets ready", place, contender->name()));
    all.push_back(made_ready(*contender, problem, threads));
  }
  std::vector<Turn> turns;
  for (Ready& one : all)
    if (one.runner)
      turns.push_back({&one.entry, [&work, &place, &one] {
                         tell(work, fmt::format("{}: {}", place, one.entry.contender));
                         return one.runner->seconds_of_turn();
                       }});
  const auto limit = [&] { return limits.measure(cell.limit).value_or(0); };
  const auto keep = [&] {
    for (Ready& one : all) {
      note_memory(one);
      cell.entries.push_back(one.entry);
    }
    const std::lock_guard lock(mutex_);
    result_.cells.push_back(cell);
  };
  try {
    if (!turns.empty()) hold_rounds(work.rounds, limit, turns, cell);
  } catch (const Stopped&) {
    if (!cell.rates.empty()) keep();
    throw;
  }
  keep();
}

void Bench::run(BenchWork& work) {
  {
    const std::lock_guard lock(mutex_);
    result_.rounds = work.rounds.rounds, result_.largest_move = work.rounds.largest_move;
    result_.last_cache = last_cache_bytes();
    result_.cells_asked = work.contenders.empty() ? 0 : work.problems.size() * work.threads.size();
  }
  std::vector<std::unique_ptr<Limits>> limits;
  for (const int threads : work.threads) {
    limits.push_back(std::make_unique<Limits>(threads));
    measure_limits(work, *limits.back());
  }
  if (work.contenders.empty()) return;
  for (const Problem& problem : work.problems)
    for (const auto& of : limits) measure_cell(work, problem, *of);
}

void Bench::note_peers(const std::vector<PeerFacts>& peers) {
  const std::lock_guard lock(mutex_);
  result_.peers = peers;
}

BenchResult Bench::snapshot() const {
  const std::lock_guard lock(mutex_);
  return result_;
}

}  // namespace attestone::inline conformance
