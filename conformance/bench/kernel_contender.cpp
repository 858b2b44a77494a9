// SPDX-License-Identifier: Apache-2.0
// Timing calls of kernels, and looking at what they take.
#include "conformance/bench/kernel_contender.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <random>
#include <set>
#include <unistd.h>

#include "backends/plugins/process/process_tree.hpp"
#include "conformance/bench/judged_call.hpp"
#include "conformance/problems/fill.hpp"
#include "conformance/problems/standard_normal.hpp"
#include "conformance/trial/blame.hpp"
#include "conformance/trial/poison.hpp"
#include "conformance/trial/stopwatch.hpp"
#include "conformance/trial/threads.hpp"
#include "reference/quantization/coded_problem.hpp"
#include "reference/random/random.hpp"

namespace attestone::inline conformance {
namespace {

constexpr unsigned first_turns = 3;       ///< of which one is judged
constexpr std::size_t table_size = 4093;  ///< a prime, so that neighbouring rows differ

/// Standard normal numbers.
const std::array<double, table_size>& table() {
  static const std::array<double, table_size> numbers = [] {
    std::array<double, table_size> drawn{};
    for (std::uint32_t i = 0; i < table_size; ++i) drawn[i] = standard_normal(Draw(1, {i, 0, 0, 0}));
    return drawn;
  }();
  return numbers;
}

double from_table(const Element& at) {
  const auto place = static_cast<std::size_t>(((at.batch * 31 + at.head) * 8191 + at.row) * 257 + at.channel);
  return table()[(place + 1009 * static_cast<std::size_t>(at.tensor)) % table_size];
}

std::set<pid_t> worker_processes() {
  const std::vector<pid_t> all = descendants_of(getpid());
  return {all.begin(), all.end()};
}

/// The most that a process ever held resident.
double high_water_bytes(pid_t process) {
  const std::string text = proc_text(fmt::format("/proc/{}/status", process)), name = "VmHWM:";
  const std::size_t at = text.find(name);
  constexpr double kibibyte = 1024;
  return at == std::string::npos ? 0 : std::atof(text.c_str() + at + name.size()) * kibibyte;
}

/// The inputs shared by all kernels that are timed on the problem at that time, one after the other.
std::shared_ptr<Inputs> shared_inputs(const Problem& problem) {
  static std::weak_ptr<Inputs> latest;
  static std::string of;
  std::shared_ptr<Inputs> inputs = latest.lock();
  if (inputs && of == problem.text()) return inputs;
  inputs = std::make_shared<Inputs>(bench_inputs(problem));
  latest = inputs, of = problem.text();
  return inputs;
}

/// The tensors of one problem, and calls on them.
class KernelRunner final : public Runner {
 public:
  KernelRunner(const Kernel& kernel, const Problem& problem, int threads)
      : kernel_(kernel), problem_(problem), threads_(threads), inputs_(shared_inputs(problem)), outputs_(problem) {
    if (kernel.wants_mask_bytes(problem)) mask_.emplace(problem);
    if (problem.backward) gradients_.emplace(problem);
    kernel.restart();
    const std::set<pid_t> before = worker_processes();
    if (problem.backward) forward();
    timed_call();
    for (const pid_t process : worker_processes())
      if (!before.count(process)) workers_.push_back(process);
  }

  /// On inputs that no turn has had. The last call of one turn, drawn by lot, is judged: there every call finds outputs
  /// without an answer.
  double seconds_of_turn() override {
    const ChangedRows rows(problem_, random_);
    rows.change(*inputs_, random_);
    if (gradients_) forward();
    const bool is_judged = turn_++ == judged_turn_ && can_be_judged(problem_);
    const double seconds = turn_of([this, is_judged] {
      if (is_judged) poison(gradients_ ? gradients_->query : outputs_.out, Poison::nan);
      return timed_call();
    });
    if (is_judged) judge(rows);
    return seconds;
  }

  std::vector<std::string> notes() override {
    std::vector<std::string> all;
    if (!can_be_judged(problem_)) all.emplace_back("too large to be judged");
    if (!kernel_.fingerprint() && computes_with_codes(kernel_.numerics(problem_)))
      all.emplace_back("emulates what hardware does with codes: its time says nothing of that");
    return all;
  }

  PeakMemory memory() override {
    double most = 0;
    for (const pid_t process : workers_) most = std::max(most, high_water_bytes(process));
    if (most > 0) return {most, "process"};
    return {static_cast<double>(peak_), "allocations"};
  }

 private:
  void judge(const ChangedRows& rows) {
    const std::string wrong = gradients_ ? wrong_gradients(kernel_, problem_, *inputs_, *gradients_)
                                         : wrong_answer(kernel_, problem_, *inputs_, outputs_, rows.queries());
    if (!wrong.empty()) throw Misbehaved("answered wrongly while it was timed: " + wrong);
  }

  double timed_call() {
    const Threads these(threads_);
    double seconds = 0;
    guarded([&] {
      Device device(FreshMemory::as_it_was);
      {
        const Stopwatch watch(seconds);
        call(device);
      }
      peak_ = std::max(peak_, device.peak().bytes);
    });
    return seconds;
  }

  void call(Device& device) {
    const VisiblePairs* mask = mask_ ? &*mask_ : nullptr;
    if (gradients_)
      kernel_.backward(problem_, arguments_of(problem_, *inputs_, outputs_, *gradients_, mask), device);
    else
      kernel_.forward(problem_, arguments_of(problem_, *inputs_, outputs_, mask), device);
  }

  /// The answer that the backward pass is handed.
  void forward() {
    const Threads these(threads_);
    guarded([&] {
      Device device(FreshMemory::as_it_was);
      kernel_.forward(problem_, arguments_of(problem_, *inputs_, outputs_, mask_ ? &*mask_ : nullptr), device);
    });
  }

  /// Turns what a kernel does besides answering into what a bench notes.
  void guarded(const std::function<void()>& work) const {
    try {
      work();
    } catch (...) {
      const Blamed blamed =
          blame(std::current_exception(), kernel_.fingerprint() ? Thrower::outside_kernel : Thrower::kernel);
      if (blamed.whose == Blame::refusal) throw NotTaken(blamed.says);
      if (blamed.whose != Blame::kernel) blamed.rethrow();
      throw Misbehaved(blamed.by_type ? fmt::format("{}: {}", blamed.reason, blamed.says) : blamed.says);
    }
  }

  const Kernel& kernel_;
  const Problem problem_;
  int threads_;
  std::shared_ptr<Inputs> inputs_;
  Outputs outputs_;
  std::optional<VisiblePairs> mask_;
  std::optional<Gradients> gradients_;
  std::vector<pid_t> workers_;
  index peak_ = 0;
  std::mt19937_64 random_{std::random_device{}()};  // nobody knows which rows change, and which turn is judged
  unsigned turn_ = 0, judged_turn_ = static_cast<unsigned>(random_() % first_turns);
};

class KernelContender final : public Contender {
 public:
  explicit KernelContender(SharedKernel kernel) : kernel_(std::move(kernel)) {}

  std::string name() const override { return kernel_->name(); }

  std::unique_ptr<Runner> ready(const Problem& problem, int threads) override {
    if (const Support support = kernel_->takes(problem); !support) throw NotTaken(support.why);
    return std::make_unique<KernelRunner>(*kernel_, problem, threads);
  }

 private:
  SharedKernel kernel_;
};

}  // namespace

Inputs bench_inputs(const Problem& problem) {
  if (problem.fill.name != "normal") return filled(problem);
  return filled(problem, from_table);
}

std::unique_ptr<Contender> kernel_contender(SharedKernel kernel) {
  return std::make_unique<KernelContender>(std::move(kernel));
}

}  // namespace attestone::inline conformance
