// SPDX-License-Identifier: Apache-2.0
// A bench for people at a terminal: limits, then a table for each problem, then how times grow.
#include <fmt/format.h>
#include <ostream>
#include <set>

#include "conformance/bench/formats/bench_format.hpp"
#include "conformance/bench/limits/limits.hpp"
#include "conformance/bench/scaling.hpp"
#include "conformance/bench/spread.hpp"
#include "conformance/bench/standing.hpp"
#include "reference/printable.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr double giga = 1e9, mebi = 0x1p20, milli = 1e-3;
constexpr std::size_t name_width = 22;

std::string counted(int count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

/// At most as wide as its column: what a name begins with says less than what it ends with.
std::string name_of(const std::string& contender) {
  const std::string name = printable(contender);
  return name.size() <= name_width ? name : ".." + name.substr(name.size() - name_width + 2);
}

void write_conditions(const BenchResult& result, std::ostream& out) {
  out << fmt::format("attestone {}, {}, instruction set {}\n", result.version, result.compiler, result.instruction_set);
  out << fmt::format("{}, {}, last cache {:.0f} MiB, {}\n", result.processor, result.system,
                     static_cast<double>(result.last_cache) / mebi, result.date);
}

void write_limits(const BenchResult& result, std::ostream& out) {
  if (result.limits.empty()) return;
  out << "\nlimits    ";
  for (const ThreadLimits& of : result.limits) out << fmt::format("{:>12}", counted(of.threads, "thread"));
  out << '\n';
  for (const LimitKind& kind : limit_kinds()) {
    out << fmt::format("{:<10}", kind.name);
    for (const ThreadLimits& of : result.limits) {
      const std::optional<double> rate = of.rate(kind.name);
      out << (rate ? fmt::format("{:>12.1f}", *rate / giga) : fmt::format("{:>12}", "-"));
    }
    out << fmt::format("  {:<8} {}\n", kind.unit, kind.meaning);
  }
}

void write_peers(const BenchResult& result, std::ostream& out) {
  if (!result.peers.empty()) out << "\npeers\n";
  for (const PeerFacts& peer : result.peers)
    out << fmt::format("{:<22} {}\n", printable(peer.name),
                       printable(peer.absent.empty() ? peer.version + ": " + peer.meaning : "absent: " + peer.absent));
}

/// How many times the first contender's time this one took, round by round.
std::string against_first(const Entry& first, const Entry& entry) {
  if (first.seconds.size() != entry.seconds.size() || &first == &entry) return "";
  std::vector<double> ratios;
  for (std::size_t i = 0; i < first.seconds.size(); ++i) ratios.push_back(entry.seconds[i] / first.seconds[i]);
  return fmt::format("{:.2f}", median_of(ratios));
}

void write_entry(const BenchCell& cell, const Entry& entry, std::ostream& out) {
  const std::string head = fmt::format("  {:>7}  {:<22}", cell.threads, name_of(entry.contender));
  if (!entry.skipped.empty()) {
    out << head << "  skipped: " << printable(entry.skipped) << '\n';
  } else if (!entry.misbehaved.empty()) {
    out << head << "  FAILED: " << printable(entry.misbehaved) << '\n';
  } else if (entry.seconds.empty()) {
    out << head << "  no round in which the limit held still\n";
  } else {
    const Spread time = spread_of(entry.seconds), share = spread_of(entry.shares);
    const std::string memory =
        entry.memory ? fmt::format("{:.1f} {}", entry.memory->bytes / mebi, entry.memory->of) : "";
    out << fmt::format("{} {:>10.3f} {:>9.1f} {:>7.3f}  {:.3f}..{:.3f} {:>8}  {}\n", head, time.median / milli,
                       cell.amount / time.median / giga, share.median, share.least, share.most,
                       against_first(cell.entries.front(), entry), memory);
  }
}

void write_cell(const BenchCell& cell, const BenchResult& result, std::ostream& out) {
  for (const Entry& entry : cell.entries) write_entry(cell, entry, out);
  if (cell.unsteady_rounds > 0)
    out << fmt::format("  {:>7}  {} of {} rounds counted: in {} the limit moved by more than {:.0f} %\n", cell.threads,
                       cell.rates.size(), cell.rates.size() + static_cast<std::size_t>(cell.unsteady_rounds),
                       cell.unsteady_rounds, 100 * result.largest_move);
  if (cell.in_cache && !cell.rates.empty())
    out << fmt::format("           K and V ({:.0f} MiB) may lie in the last cache: no measure of memory\n",
                       cell.bytes / mebi);
}

/// Cells of one problem stand together.
void write_cells(const BenchResult& result, std::ostream& out) {
  const Problem* latest = nullptr;
  for (const BenchCell& cell : result.cells) {
    if (!latest || !(*latest == cell.problem)) {
      const bool reads = cell.limit == "read";
      out << fmt::format("\n{}\n  {}: shares of {}\n", cell.problem.text(),
                         cell.problem.backward ? "the backward pass" : "the forward pass",
                         reads                       ? "what can be read"
                         : cell.limit == "bf16_tile" ? "the products of bf16 tiles"
                                                     : "the multiply-adds of " + cell.limit);
      out << fmt::format("  {:>7}  {:<22} {:>10} {:>9} {:>7}  {:<12} {:>8}  {}\n", "threads", "contender", "ms",
                         reads ? "GB/s" : "Gflop/s", "share", "from..to", cell.entries.size() > 1 ? "x first" : "",
                         "peak MiB");
    }
    latest = &cell.problem;
    write_cell(cell, result, out);
  }
}

void write_scaling(const BenchResult& result, std::ostream& out) {
  const std::vector<Growth> all = growths(result);
  if (!all.empty()) out << "\ngrowth with length: the fitted slope of log time over log tokens\n";
  for (const Growth& growth : all)
    out << fmt::format("  {:>5.2f}  {:<22} {:<9}  {}\n", growth.slope, name_of(growth.contender),
                       counted(growth.threads, "thread"), growth.family);
  const std::vector<SpeedUp> faster = speed_ups(result);
  if (!faster.empty()) out << "\ntimes as fast with more threads\n";
  for (const SpeedUp& one : faster) {
    std::string figures;
    for (const auto& [threads, times] : one.points) figures += fmt::format("{}: {:.2f}  ", threads, times);
    out << fmt::format("  {:<18}  {:<22} {}\n", figures, name_of(one.contender), one.problem);
  }
}

void write_standings(const BenchResult& result, std::ostream& out) {
  const std::vector<Standing> all = standings(result);
  if (!all.empty()) out << "\ntimes as fast as the fastest peer: geometric mean of the cells, and the worst of them\n";
  for (const Standing& one : all)
    out << fmt::format("  {:>5.2f}  {:<22} {}, {}\n  {:>5.2f}    in {}\n", one.geometric_mean, name_of(one.contender),
                       one.kind, counted(static_cast<int>(one.cells), "cell"), one.least, one.least_in);
}

/// Writes the settings that contenders chose, each once.
void write_notes(const BenchResult& result, std::ostream& out) {
  std::set<std::string> all;
  for (const BenchCell& cell : result.cells)
    for (const Entry& entry : cell.entries)
      for (const std::string& note : entry.notes)
        all.insert(fmt::format("  {:<22} {}\n", name_of(entry.contender), printable(note)));
  if (!all.empty()) out << "\nsettings\n";
  for (const std::string& line : all) out << line;
}

void write(const BenchResult& result, std::ostream& out) {
  write_conditions(result, out);
  write_limits(result, out);
  write_peers(result, out);
  write_cells(result, out);
  write_scaling(result, out);
  write_standings(result, out);
  write_notes(result, out);
  if (!result.own_failure.empty()) out << "\nattestone itself failed: " << result.own_failure << '\n';
  if (result.cut_short)
    out << fmt::format("\nincomplete ({}): {} of {} cells\n", text(*result.cut_short), result.cells.size(),
                       result.cells_asked);
}

const Registration<BenchFormat> registered{{
    .name = "text",
    .extension = "txt",
    .summary = "for people",
    .write = write,
}};

}  // namespace
}  // namespace attestone::inline conformance
