// SPDX-License-Identifier: Apache-2.0
// Running a kernel and keeping what properties share.
#include "conformance/trial/trial.hpp"

#include "conformance/conventions/by_convention.hpp"
#include "conformance/trial/same_bits.hpp"
#include "conformance/trial/stopwatch.hpp"
#include "conformance/trial/threads.hpp"
#include "reference/quantization/coded_problem.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone::inline conformance {
namespace {

// Beyond this many multiply-adds the truth is evaluated on sampled rows: some seconds of certified arithmetic.
constexpr double most_work = 0x1p37;
constexpr index random_rows = 16;

/// Adds what happened on a device, however the call ends.
class FaultsAtEnd {
 public:
  FaultsAtEnd(const Device& device, std::map<std::string, index>& all) : device_(device), all_(all) {}
  ~FaultsAtEnd() {
    for (const auto& [name, times] : device_.faults()) all_[name] += times;
  }
  FaultsAtEnd(const FaultsAtEnd&) = delete;
  FaultsAtEnd& operator=(const FaultsAtEnd&) = delete;

 private:
  const Device& device_;
  std::map<std::string, index>& all_;
};

/// The rows by which a problem is judged: all of them (nothing), or a sample of a long problem.
std::optional<std::vector<index>> judged_rows(const Problem& problem) {
  if (!is_sampled(problem)) return std::nullopt;
  return sampled_rows(problem.shape.queries, random_rows, problem.seed);
}

}  // namespace

bool is_sampled(const Problem& problem) {
  const Shape& s = problem.shape;
  return static_cast<double>(s.rows()) * static_cast<double>(s.keys) * static_cast<double>(s.dim + s.value_dim) >
         most_work;
}

const Numerics& Trial::numerics() {
  if (!numerics_) numerics_ = kernel_.numerics(problem_);
  return *numerics_;
}

const Inputs& Trial::inputs() {
  if (!inputs_) inputs_ = filled(problem_);
  return *inputs_;
}

const Truth& Trial::truth() {
  if (!truth_) {
    // The right answer is in nobody's memory before an outside kernel has answered.
    if (kernel_.fingerprint()) answer();
    const Inputs& inputs = this->inputs();
    const Stopwatch watch(times.truth);
    truth_ = by_convention(certify_forward(problem_, inputs, {.queries = judged_rows(problem_)}), conventions_,
                           problem_, inputs);
  }
  return *truth_;
}

const ForwardBound& Trial::bound() {
  if (!bound_) {
    const Inputs& inputs = this->inputs();
    const Numerics& numerics = this->numerics();
    const Stopwatch watch(times.truth);
    bound_.emplace(problem_, inputs, numerics);
  }
  return *bound_;
}

const KernelAnswer& Trial::answer() {
  if (!answer_) answer_ = run(inputs());
  return *answer_;
}

KernelAnswer Trial::run(const Inputs& inputs, Poison poison) { return run(inputs, poisoned_outputs(problem_, poison)); }

KernelAnswer Trial::run(const Inputs& inputs, Outputs outputs) {
  try {
    KernelAnswer answer = run_once(inputs, std::move(outputs));
    if (kernel_.fingerprint()) answered_.emplace(inputs);
    return answer;
  } catch (const KernelRefusal&) {
    // A kernel may refuse for the inputs' sake; not what it has answered. Asked the same again, it shows which it is.
    if (answered_) run_once(*std::exchange(answered_, std::nullopt), poisoned_outputs(problem_, Poison::nan));
    throw;
  }
}

KernelAnswer Trial::run_once(const Inputs& inputs, Outputs outputs) {
  Inputs handed = copy_to_hand(inputs);
  Device device;
  KernelAnswer answer{.outputs = std::move(outputs)};
  Arguments arguments = arguments_of(problem_, handed, answer.outputs, mask_bytes());
  arguments.log_sum_exp_is_read = conventions_.has_log_sum_exp();
  call(device, [&] { kernel_.forward(problem_, arguments, device); });
  answer.memory = device.peak();
  answer.devices = device.devices();
  answer.inputs_changed = is_changed(inputs, handed);
  if (!answer.inputs_changed) take_back(inputs, std::move(handed));
  return answer;
}

Inputs Trial::copy_to_hand(const Inputs& inputs) {
  if (is_own(inputs) && own_copy_) return *std::exchange(own_copy_, std::nullopt);
  return inputs;
}

void Trial::take_back(const Inputs& inputs, Inputs unchanged_copy) {
  if (is_own(inputs)) own_copy_ = std::move(unchanged_copy);
}

void Trial::call(Device& device, const std::function<void()>& kernel) {
  const DefaultFloatingPoint environment;  // whatever the kernel leaves behind, the judge goes on in its own
  std::optional<Threads> asked_for;
  if (problem_.threads > 0 && !ForcedThreads::live()) asked_for.emplace(problem_.threads);
  const FaultsAtEnd faults_of_the_call(device, faults);
  try {
    const Stopwatch watch(times.kernel);
    kernel();
  } catch (...) {
    blame(std::current_exception(), kernel_.fingerprint() ? Thrower::outside_kernel : Thrower::kernel).rethrow();
  }
}

const VisiblePairs* Trial::mask_bytes() {
  if (!mask_bytes_ && kernel_.wants_mask_bytes(problem_)) mask_bytes_.emplace(problem_);
  return mask_bytes_ ? &*mask_bytes_ : nullptr;
}

BoundTable& Trial::bounds() {
  if (!bounds_) {
    const Truth& truth = this->truth();
    const ForwardBound& bound = this->bound();
    const Stopwatch watch(times.truth);
    bounds_.emplace(problem_, truth, bound);
  }
  return *bounds_;
}

Comparison Trial::compare_with_truth(const Outputs& got, const RowFilter& filter) {
  BoundTable& bounds = this->bounds();
  const Stopwatch watch(times.truth);
  return compare(truth(), bounds, got, numerics().tile_queries, filter, conventions_.log_sum_exp_unit());
}

Comparison Trial::compare_with_truth(const Outputs& got, const Inputs& other, const RowFilter& filter) {
  if (!computes_with_codes(numerics())) return compare_with_truth(got, filter);
  const Truth& truth = this->truth();
  const Stopwatch watch(times.truth);
  const ForwardBound bound(problem_, other, numerics());
  BoundTable bounds(problem_, truth, bound);
  return compare(truth, bounds, got, numerics().tile_queries, filter, conventions_.log_sum_exp_unit());
}

}  // namespace attestone::inline conformance
