// SPDX-License-Identifier: Apache-2.0
// attestone bench: times kernels on problems, as shares of what the machine can do.
#include "conformance/bench/bench.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "backends/stop_request.hpp"
#include "conformance/bench/bench_result.hpp"
#include "conformance/bench/formats/bench_format.hpp"
#include "conformance/bench/kernel_contender.hpp"
#include "conformance/bench/peers/peer_contender.hpp"
#include "conformance/program/commands.hpp"
#include "conformance/program/commands/loaded_kernels.hpp"
#include "conformance/program/commands/report_folder.hpp"
#include "conformance/program/ending.hpp"
#include "conformance/program/machine.hpp"
#include "conformance/program/request/bench_request.hpp"
#include "conformance/program/terminal.hpp"
#include "conformance/program/watched_thread.hpp"

namespace attestone::inline conformance {
namespace {

std::string file_name(const BenchFormat& format) { return fmt::format("bench.{}", format.extension); }

std::optional<ReportFolder> folder_of(const BenchRequest& request) {
  if (request.report_directory.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& [name, format] : Registry<BenchFormat>::all()) names.push_back(file_name(format));
  return ReportFolder(request.report_directory, names);
}

void write_files(const BenchResult& result, const ReportFolder& folder, const std::string& directory) {
  std::vector<ReportFile> files;
  for (const auto& [name, format] : Registry<BenchFormat>::all()) {
    const BenchFormat& own = format;
    files.push_back({file_name(own), [&result, &own](std::ostream& out) { own.write(result, out); }});
  }
  folder.write(files);
  say(fmt::format("the bench is in {}\n", directory));
}

BenchResult conditions() {
  BenchResult result;
  result.version = version(), result.compiler = compiler(), result.instruction_set = instruction_set();
  result.processor = processor(), result.system = operating_system(), result.date = today();
  return result;
}

ExitStatus status_of(const BenchResult& result) {
  bool timed = !result.limits.empty() && result.cells_asked == 0, failed = false;
  for (const BenchCell& cell : result.cells)
    for (const Entry& entry : cell.entries) {
      timed = timed || !entry.seconds.empty();
      failed = failed || !entry.misbehaved.empty();
    }
  if (!result.own_failure.empty()) return ExitStatus::internal_error;
  if (failed) return ExitStatus::does_not_conform;
  if (result.cut_short) return ExitStatus::cut_short;
  return timed ? ExitStatus::ok : ExitStatus::nothing_ran;
}

/// The peers that were asked for, and those of them that are there.
struct AskedPeers {
  std::vector<PeerFacts> facts;
  std::vector<std::unique_ptr<Contender>> contenders;
};

/// True if the peer was named, or if none was.
bool is_asked(const PeerFacts& peer, const std::vector<NamedPart>& names) {
  return names.empty() ||
         std::any_of(names.begin(), names.end(), [&](const NamedPart& n) { return n.text == peer.name; });
}

/// Asks the line that starts peers, if there is one. UserError if it does not answer, or knows no peer of a name that
/// was given.
AskedPeers peers_of(const BenchRequest& request) {
  if (request.peers.empty()) return {};
  const std::vector<NamedPart>& names = request.peer_names;
  const PeerLine line{request.peers, request.kernels.limits.limits.seconds};
  const std::vector<PeerFacts> listed = listed_peers(line);
  std::vector<std::string> known;
  for (const PeerFacts& peer : listed) known.push_back(peer.name);
  for (const NamedPart& name : names)
    if (std::find(known.begin(), known.end(), name.text) == known.end())
      throw UserError("unknown peer '" + name.text + "'", name.place, did_you_mean(name.text, known));
  AskedPeers asked;
  for (const PeerFacts& peer : listed) {
    if (!is_asked(peer, names)) continue;
    asked.facts.push_back(peer);
    if (peer.absent.empty()) asked.contenders.push_back(peer_contender(line, peer.name));
  }
  return asked;
}

/// All that the working thread uses.
struct Session {
  explicit Session(const BenchRequest& asked) : request(asked), bench(conditions()) {}

  void run() {
    if (!request.limits_only) {
      for (const Candidate& candidate : load_kernels(request.kernels))
        work.contenders.push_back(kernel_contender(candidate.kernel));
      AskedPeers peers = peers_of(request);
      bench.note_peers(peers.facts);
      for (auto& peer : peers.contenders) work.contenders.push_back(std::move(peer));
    }
    bench.run(work);
  }

  const BenchRequest request;
  BenchWork work;
  Bench bench;
  Progress progress;
};

}  // namespace

ExitStatus bench_command(const BenchRequest& request) {
  const auto session = std::make_shared<Session>(request);
  session->work.problems = request.problems;
  session->work.threads = request.threads;
  session->work.rounds = request.rounds;
  session->work.progress = [raw = session.get()](const std::string& line) { raw->progress.show(line, line); };
  const std::optional<ReportFolder> folder = folder_of(request);

  const WatchedThread thread([session] { session->run(); }, request.budget_seconds);
  session->progress.clear();
  return thread.end_with([&] {
    BenchResult result = session->bench.snapshot();
    if (stop_is_asked() || thread.abandoned()) result.cut_short = thread.reason();
    result.own_failure = thread.uncaught();
    request.format->write(result, std::cout);
    std::cout.flush();
    if (folder) write_files(result, *folder, request.report_directory);
    return status_of(result);
  });
}

}  // namespace attestone::inline conformance
