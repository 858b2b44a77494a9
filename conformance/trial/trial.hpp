// SPDX-License-Identifier: Apache-2.0
// A trial: one kernel on one problem, with everything that its properties share, made when first asked for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "backends/kernel.hpp"
#include "backends/kernel_fault.hpp"
#include "conformance/problems/fill.hpp"
#include "conformance/trial/backward_trial.hpp"
#include "conformance/trial/blame.hpp"
#include "conformance/trial/poison.hpp"
#include "conformance/verdict/compare.hpp"
#include "reference/certified/forward/truth.hpp"
#include "reference/error_bound/forward/forward_bound.hpp"

namespace attestone::inline conformance {

/// Seconds spent, for the report; those of problems that are judged at the same time are added up.
struct Times {
  double truth = 0, kernel = 0;  ///< in the truth and its bounds, and in the kernel
  double all = 0;                ///< in judging
};

/// One finished call of the kernel.
struct KernelAnswer {
  Outputs outputs;
  MemoryUse memory = {};                     ///< the peak of what the kernel took of its device
  std::vector<MeasuredDevice> devices = {};  ///< of a kernel on a mesh
  bool inputs_changed = false;               ///< the kernel wrote to the copy of the inputs that it was handed
};

/// True if a problem is so long that it is judged by a sample of its rows.
bool is_sampled(const Problem&);

/// The parts are made once, in whatever order properties ask for them, and kept until the trial ends.
class Trial {
 public:
  Trial(const Kernel& kernel, const Problem& problem)
      : kernel_(kernel), problem_(problem), conventions_(kernel.conventions()) {}
  /// With these inputs in place of what the problem's fill draws.
  Trial(const Kernel& kernel, const Problem& problem, Inputs inputs)
      : kernel_(kernel), problem_(problem), conventions_(kernel.conventions()), inputs_(std::move(inputs)) {}
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  const Kernel& kernel() const { return kernel_; }
  const Problem& problem() const { return problem_; }
  const Numerics& numerics();
  const Conventions& conventions() const { return conventions_; }

  const Inputs& inputs();
  /// The truth to which the kernel's answers are held, by its conventions.
  const Truth& truth();
  const ForwardBound& bound();
  BoundTable& bounds();
  /// The kernel's answer on inputs(), over outputs poisoned with NaN.
  const KernelAnswer& answer();

  /// Runs the kernel on a copy of these inputs over poisoned outputs. KernelCrash if it throws; KernelRefusal if it
  /// refuses, or KernelFault ("refused-later") if it then refuses as well what it has answered before.
  KernelAnswer run(const Inputs&, Poison = Poison::nan);
  /// Runs the kernel over outputs that hold whatever `outputs` holds.
  KernelAnswer run(const Inputs&, Outputs outputs);
  /// A copy of the inputs to hand to a kernel: whatever it does to them, the truth is of the original.
  Inputs copy_to_hand(const Inputs&);
  /// A copy of those inputs that a call has left as it was: if they are inputs(), the next call gets it.
  void take_back(const Inputs&, Inputs unchanged_copy);
  /// Calls the kernel on a device, and adds the time and the faults. Throws what the kernel throws, as a type that says
  /// who is to blame (blame.hpp).
  void call(Device&, const std::function<void()>&);
  /// The mask as bytes if the kernel asks for it, otherwise null.
  const VisiblePairs* mask_bytes();
  /// Compares with the truth of inputs().
  Comparison compare_with_truth(const Outputs&, const RowFilter& = nullptr);
  /// Compares an answer to other inputs, in rows that should answer alike. The codes of a kernel that
  /// computes with some depend on all rows, and with them its bounds.
  Comparison compare_with_truth(const Outputs&, const Inputs& other, const RowFilter&);

  /// The backward half; only for problems with gradients.
  BackwardTrial& backward() { return backward_; }

  Times times;
  /// Every fault that was asked for, and how often it has happened in all calls so far.
  std::map<std::string, index> faults;

 private:
  KernelAnswer run_once(const Inputs&, Outputs);
  bool is_own(const Inputs& inputs) const { return inputs_ && &inputs == &*inputs_; }

  const Kernel& kernel_;
  const Problem& problem_;
  const Conventions conventions_;
  std::optional<Numerics> numerics_;
  std::optional<Inputs> inputs_;
  std::optional<Inputs> own_copy_;  ///< of them, between calls
  std::optional<Truth> truth_;
  std::optional<ForwardBound> bound_;
  std::optional<BoundTable> bounds_;
  std::optional<KernelAnswer> answer_;
  std::optional<Inputs> answered_;  ///< the last ones that the kernel took; kept of outside kernels only
  std::optional<VisiblePairs> mask_bytes_;
  BackwardTrial backward_{*this};
};

}  // namespace attestone::inline conformance
