// SPDX-License-Identifier: Apache-2.0
// Starting mpirun, asking ranks side by side, and saying what became of those that do not answer.
#include "backends/distributed/worlds/processes/rank_job.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "backends/distributed/worlds/processes/mpirun_line.hpp"
#include "backends/distributed/worlds/processes/rank_crew.hpp"
#include "reference/system_failure.hpp"

namespace attestone::inline backends {
namespace {

constexpr int patience_with_mpirun_ms = 3000;
constexpr double patience_with_start_s = 60;  // which is no call: a busy machine takes its time
constexpr int by_signal = 128;                // mpirun ends with this and the signal's number

/// The rank of which mpirun says that it ended first: "process rank 1 with PID", "Process name: [[25095,1],1]".
std::optional<index> named_by_mpirun(const std::string& printed) {
  for (const char* words : {"process rank ", "Process name: [["})
    if (const std::size_t at = printed.find(words); at != std::string::npos) {
      std::size_t number = at + std::strlen(words);
      if (const std::size_t inner = printed.find("],", number); words[0] == 'P' && inner != std::string::npos)
        number = inner + 2;
      return std::atoll(printed.c_str() + number);
    }
  return std::nullopt;
}

/// How the first of the ranks ended, as mpirun's own end and words say.
KernelFault fault_of_end(int status, const std::string& who, const std::string& printed) {
  if (WIFEXITED(status) && WEXITSTATUS(status) > by_signal) {
    const int signal = WEXITSTATUS(status) - by_signal;
    return {"crashed", fmt::format("{} ended: signal {} ({})", who, signal, strsignal(signal))};
  }
  // A status of 0, which is none here, stands in its words only.
  const std::string how =
      printed.find("exiting improperly") != std::string::npos ? "exit status 0" : ending_text(status);
  return {WIFSIGNALED(status) ? "crashed" : "exited", fmt::format("{} ended: {}", who, how)};
}

}  // namespace

RankJob::RankJob(const RankJobSettings& settings)
    : settings_(settings),
      standings_(settings.ranks * static_cast<index>(sizeof(RankStanding))),
      folder_{folder_of_ranks(meeting_point_.name())},
      links_(static_cast<std::size_t>(settings.ranks)),
      process_(std::make_unique<WorkerProcess>(WorkerProcess::Kind::program,
                                               mpirun_line(settings_, meeting_point_.name()))) {
  try {
    await_ranks();
  } catch (const KernelFault& fault) {  // nothing of the kernel's has run
    throw SystemFailure(fmt::format("mpirun starts no ranks: {}\n{}", fault.what(), printed_));
  }
}

RankJob::Folder::~Folder() {
  std::error_code ignored;  // where the keeper has processes of its own, the folder was never seen here
  std::filesystem::remove_all(path, ignored);
}

RankStanding& RankJob::standing(std::size_t rank) const {
  return reinterpret_cast<RankStanding*>(standings_.bytes().data())[rank];
}

void RankJob::await_ranks() {
  CallLimits limits = settings_.limits;
  limits.seconds = std::max(limits.seconds, patience_with_start_s);
  const CallWatch watch(limits, *process_, 0);
  for (std::size_t come = 0; come < links_.size();) {
    wait(watch, 0, meeting_point_.descriptor());
    while (auto other = meeting_point_.next()) {
      const std::optional<index> rank = RankLink::greet(*other, standings_);
      if (!rank || *rank < 0 || *rank >= settings_.ranks) continue;
      RankLink& link = links_[static_cast<std::size_t>(*rank)];
      come += !link.is_connected();
      link.connect(std::move(*other));
    }
  }
}

std::vector<Safetensors> RankJob::call(const std::vector<Frame>& requests) {
  index bytes = 0;
  for (std::size_t rank = 0; rank < requests.size(); ++rank) {
    std::vector<std::byte> request = requests[rank].bytes();
    bytes += std::ssize(request);
    standing(rank).set(RankStanding::works);
    links_[rank].begin(std::move(request));
  }
  const CallWatch watch(settings_.limits, *process_, bytes);
  std::vector<std::optional<Safetensors>> answers(requests.size());
  try {
    while (!std::ranges::all_of(answers, [](const auto& answer) { return answer.has_value(); })) {
      wait(watch, requests.size(), -1);
      take(answers);
    }
  } catch (const KernelFault& fault) {
    if (fault.reason() == "hung") throw hung(fault, requests.size());
    throw;
  }
  std::vector<Safetensors> all;
  for (std::optional<Safetensors>& answer : answers) all.push_back(std::move(*answer));
  return all;
}

void RankJob::take(std::vector<std::optional<Safetensors>>& answers) {
  bool one_is_gone = false;
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    if (answers[rank]) continue;
    one_is_gone |= !links_[rank].go_on();
    if (!links_[rank].complete()) continue;
    throw_if_fault(answers[rank].emplace(links_[rank].answer()), static_cast<index>(rank));
  }
  if (one_is_gone) throw_end(answers.size());
}

void RankJob::wait(const CallWatch& watch, std::size_t ranks, int others) {
  std::vector<pollfd> events{{process_->output(), POLLIN, 0}, {process_->keeper(), POLLIN, 0}, {others, POLLIN, 0}};
  for (std::size_t rank = 0; rank < ranks; ++rank)
    events.push_back({links_[rank].descriptor(), links_[rank].events(), 0});
  watch.wait(events);
  if (events[0].revents) {
    drain();
    watch.wait({}, 0);  // who prints for ever is looked at as well
  }
  if (events[1].revents)
    if (process_->ended()) throw_end(ranks);
}

void RankJob::drain() {
  constexpr std::size_t most = 4096;
  char buffer[1 << 14];
  for (int piece = 0; piece < 16; ++piece) {  // as much as a pipe holds
    const ssize_t got = read(process_->output(), buffer, sizeof buffer);
    if (got <= 0) return;
    printed_.append(buffer, std::min(static_cast<std::size_t>(got), most - printed_.size()));
  }
}

void RankJob::throw_end(std::size_t ranks) {
  std::optional<int> status = process_->ended();
  pollfd event{process_->keeper(), POLLIN, 0};
  if (!status && poll(&event, 1, patience_with_mpirun_ms) > 0) status = process_->ended();
  drain();
  std::vector<std::size_t> gone;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const RankStanding::State state = standing(rank).state();
    if (links_[rank].has_hung_up() && state != RankStanding::told_away && state != RankStanding::ended)
      gone.push_back(rank);
  }
  std::string who;
  const std::optional<index> named = named_by_mpirun(printed_);
  for (const std::size_t rank : gone)
    if (!named || std::cmp_equal(*named, rank)) who += fmt::format("{}rank {}", who.empty() ? "" : " or ", rank);
  if (who.empty()) who = named ? fmt::format("rank {}", *named) : fmt::format("mpirun, which says '{}',", printed_);
  throw fault_of_end(status.value_or(SIGKILL), who, printed_);
}

KernelFault RankJob::hung(const KernelFault& fault, std::size_t ranks) const {
  bool stands_still = true;
  std::string all;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const RankStanding::State state = standing(rank).state();
    stands_still &= state == RankStanding::waits || state == RankStanding::ended;
    const std::string does = state == RankStanding::waits   ? standing(rank).said()
                             : state == RankStanding::ended ? "has ended"
                                                            : "computes";
    all += fmt::format("{}rank {} {}", all.empty() ? "" : "; ", rank, does);
  }
  return {stands_still ? "deadlock" : "hung", fmt::format("{}: {}", fault.what(), all)};
}

}  // namespace attestone::inline backends
