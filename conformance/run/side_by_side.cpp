// SPDX-License-Identifier: Apache-2.0
// Threads that judge, and the one that enters what they say.
#include "conformance/run/side_by_side.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <system_error>
#include <thread>

#include "conformance/run/judge_problem.hpp"
#include "conformance/trial/problem_memory.hpp"
#include "conformance/trial/threads.hpp"
#include "reference/tensor/floating_point_environment.hpp"
#include "reference/tensor/machine_memory.hpp"

namespace attestone::inline conformance {
namespace {

/// Multiply-adds from which a problem has all threads to itself: about a second of certified arithmetic.
constexpr double long_from = 0x1p30;
/// The share of the machine's memory for all problems being judged. The size known of each is a lower bound.
constexpr double share_of_memory = 0.25;
/// How often what was said of an unfinished problem is entered: to be woken by each case would cost more than most do.
constexpr std::chrono::milliseconds glance{50};

bool is_long(const Problem& problem) {
  const Shape& s = problem.shape;
  return static_cast<double>(s.rows()) * static_cast<double>(s.keys) * static_cast<double>(s.dim + s.value_dim) >=
         long_from;
}

/// A problem, from its beginning until everything about it is entered.
struct Job {
  bool taken = false;  ///< by the kernel's limits
  double bytes = 0;
  bool alone = false;
  std::deque<LedgerEntry> entries = {};
  bool done = false;
  std::exception_ptr thrown = {};
  Turns before{};  ///< what its questions follow from
  std::vector<Question> questions = {};
  std::optional<std::size_t> refused_after = {};  ///< so many of them
};

class SideBySide {
 public:
  SideBySide(const Kernel& kernel, const RunOptions& options, Ledger& ledger, const Stop& stop)
      : kernel_(kernel), options_(options), ledger_(ledger), stop_(stop), questions_(options) {
    for (const Problem& problem : options.problems) {
      const bool taken = static_cast<bool>(kernel.takes(problem));
      jobs_.push_back({taken, taken ? least_memory(problem, kernel) : 0, taken && is_long(problem)});
    }
    threads_ = std::min<std::size_t>(static_cast<std::size_t>(options.threads), jobs_.size());
  }

  void judge_all() {
    for (;;) {
      {
        const Team team(*this);
        enter_until_refusal();
      }
      if (entered_ == jobs_.size() || !ledger_.run().complete) return;
      go_back();
    }
  }

 private:
  /// The threads that judge. Ends when each is done with the case at hand.
  class Team {
   public:
    explicit Team(SideBySide& all) : all_(all) {
      for (std::size_t number = 0; number < all.threads_; ++number) try {
          members_.emplace_back([&all] { all.judge_jobs(); });
        } catch (const std::system_error&) {  // fewer will do
          if (members_.empty()) throw;
          break;
        }
    }
    ~Team() {
      {
        const std::lock_guard lock(all_.mutex_);
        all_.over_ = true;
      }
      all_.changed_.notify_all();
      for (std::thread& member : members_) member.join();
      all_.over_ = false;
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

   private:
    SideBySide& all_;
    std::vector<std::thread> members_;
  };

  /// In a thread of the team.
  void judge_jobs() {
    const DefaultFloatingPoint environment;
    const Threads all_of_them(options_.threads);
    std::unique_lock lock(mutex_);
    while (!over_ && begun_ < jobs_.size()) {
      if (!has_room_for(jobs_[begun_])) {
        changed_.wait(lock);
        continue;
      }
      const std::size_t number = begun_++;
      Job& job = jobs_[number];
      ++running_, bytes_ += job.bytes, alone_ = job.alone;
      judge(lock, number, job);
      --running_, bytes_ -= job.bytes, alone_ = false;
      job.done = true;
      changed_.notify_all();
    }
  }

  bool has_room_for(const Job& job) const {
    return running_ == 0 || (!alone_ && !job.alone && bytes_ + job.bytes <= room_);
  }

  /// `lock` is open while the kernel is called.
  void judge(std::unique_lock<std::mutex>& lock, std::size_t number, Job& job) {
    const Problem& problem = options_.problems[number];
    // Problems are begun in their order, and this is what depends on it.
    if (job.taken) job.before = questions_.turns();
    const Desk desk{[&](const Problem&, const Property& property) { begin_case(number, property); },
                    [&](LedgerEntry entry) { return hand_over(job, std::move(entry)); }};
    try {
      if (job.taken) job.questions = questions_.about(problem, kernel_);
      lock.unlock();
      if (begin_problem(kernel_, problem, desk)) {
        const Threads inside(job.alone ? options_.threads : std::max(1, options_.threads / static_cast<int>(threads_)));
        job.refused_after = judge_problem(kernel_, problem, job.questions, options_, desk);
      }
    } catch (...) {
      job.thrown = std::current_exception();
    }
    if (!lock.owns_lock()) lock.lock();
  }

  void begin_case(std::size_t number, const Property& property) {
    stop_.check();
    const std::string repro =
        options_.progress ? repro_line(option_, property, options_.problems[number]) : std::string();
    const std::lock_guard lock(mutex_);
    if (over_) throw Stopped();
    if (options_.progress)
      options_.progress({repro, static_cast<index>(number) + 1, std::ssize(options_.problems), counts_});
  }

  bool hand_over(Job& job, LedgerEntry entry) {
    const std::lock_guard lock(mutex_);
    job.entries.push_back(std::move(entry));
    return !over_;
  }

  /// Enters job after job until the run is over, or the kernel refuses a problem in a call: the questions about all
  /// that follow were dealt out as if it had not.
  void enter_until_refusal() {
    std::unique_lock lock(mutex_);
    while (entered_ < jobs_.size()) {
      Job& job = jobs_[entered_];
      changed_.wait_for(lock, glance, [&] { return job.done; });
      while (!job.entries.empty()) {
        const LedgerEntry entry = std::move(job.entries.front());
        job.entries.pop_front();
        lock.unlock();
        entry(ledger_);
        lock.lock();
        counts_ = ledger_.run().counts;
        if (!ledger_.run().complete) return;
      }
      if (!job.done) continue;
      if (job.thrown) std::rethrow_exception(job.thrown);
      ledger_.finish_problem();
      ++entered_;
      if (job.refused_after) return;
    }
  }

  /// To where the last entered job, which was refused, left the questions; forgets what was judged beyond it.
  void go_back() {
    const Job& last = jobs_[entered_ - 1];
    questions_.take_back(last.before, last.questions, *last.refused_after);
    for (begun_ = entered_; begun_ < jobs_.size(); ++begun_) {
      Job& job = jobs_[begun_];
      job = {job.taken, job.bytes, job.alone};
    }
    begun_ = entered_;
  }

  const Kernel& kernel_;
  const RunOptions& options_;
  Ledger& ledger_;
  const Stop& stop_;
  const std::string option_ = ledger_.run().option;
  const double room_ = share_of_memory * static_cast<double>(machine_memory());
  std::size_t threads_;
  std::size_t entered_ = 0;  // jobs, by the thread that enters

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool over_ = false;
  std::vector<Job> jobs_;
  std::size_t begun_ = 0, running_ = 0;
  double bytes_ = 0;    // of those that run
  bool alone_ = false;  // one runs that wants to be
  Questions questions_;
  Counts counts_;
};

}  // namespace

void judge_side_by_side(const Kernel& kernel, const RunOptions& options, Ledger& ledger, const Stop& stop) {
  SideBySide(kernel, options, ledger, stop).judge_all();
}

}  // namespace attestone::inline conformance
