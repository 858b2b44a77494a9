// SPDX-License-Identifier: Apache-2.0
// The interface of a kernel: it has a name, says what it supports, declares its arithmetic, and computes attention.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/device.hpp"
#include "backends/placement.hpp"
#include "reference/call/visible_pairs.hpp"
#include "reference/numerics/declared_class.hpp"
#include "reference/problem/conventions.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline backends {

/// A kernel's answer on a problem: supported or not, and why not. The reason becomes part of the verdict.
struct Support {
  bool yes = true;
  std::string why;

  static Support refused(std::string why) { return {false, std::move(why)}; }
  explicit operator bool() const { return yes; }
};

/// The inputs of both passes. Broadcast axes have stride 0; tensors that the problem lacks are absent.
struct KernelInputs {
  ConstView query, key, value;
  std::optional<ConstView> bias;         ///< [batch, heads, queries, keys]
  std::optional<ConstView> sink;         ///< [1, heads, 1, 1]
  const VisiblePairs* mask = nullptr;    ///< the mask as bytes, for kernels that ask for it
  const Placement* placement = nullptr;  ///< of a part of a larger problem, for kernels that take one; null: the whole
  /// True if somebody reads log_sum_exp. Else the kernel declares that it has none (`outputs=out`): the tensor is there
  /// all the same, may be left as it is, and in the backward pass holds what the forward pass left in it.
  bool log_sum_exp_is_read = true;
};

/// The arguments of the forward pass. Answers that nobody asks for do not exist (View::exists), or are
/// absent.
struct Arguments : KernelInputs {
  View out, log_sum_exp;
  std::optional<View> max_logits = {};  ///< [batch, heads, queries, 1]: the largest score of each row
};

/// The arguments of a forward pass whose answer is merged with those of other parts (docs/tolerance.md, form A).
/// All f32, and in base 2, where m needs no rounding: a query that has seen neither sink nor key has m = -infinity and
/// zeros.
struct PartialArguments : KernelInputs {
  View out;                 ///< [batch, heads, queries, value_dim]: the sum of 2^(s - m) v, with dropout
  View m;                   ///< [batch, heads, queries, 1]: the largest score, times log2(e)
  View l;                   ///< [batch, heads, queries, 1]: the sum of 2^(s - m), the sink's included
  bool m_is_given = false;  ///< m holds numbers that take the place of the largest score, which may be 127 more
};

/// The arguments of the backward pass: the answer of the same kernel's forward pass, and its gradient. A gradient
/// that nobody asks for does not exist, or is absent.
struct BackwardArguments : KernelInputs {
  ConstView out, log_sum_exp, dout;
  /// [batch, heads, queries, 1] f32: the sum of dO O, from whoever has it already; 0 where the whole shows a query no
  /// key.
  std::optional<ConstView> delta;
  View dquery, dkey, dvalue;
  std::optional<View> dbias;  ///< of the extents of the bias that was given: axes that its kind lacks have extent 1
  std::optional<View> dsink;  ///< [1, heads, 1, 1]
};

/// The tensors as arguments; `mask` must be given to kernels that ask for it.
Arguments arguments_of(const Problem&, const Inputs&, Outputs&, const VisiblePairs* mask = nullptr);
BackwardArguments arguments_of(const Problem&, const Inputs&, const Outputs&, Gradients&,
                               const VisiblePairs* mask = nullptr);

/// A change that a kernel makes to its choices to suit a problem: a setting that is too large for it, or the kernel
/// itself.
struct Adjustment {
  std::string setting;   ///< "block_kv", or "kernel" if another one computes the answer
  std::string from, to;  ///< old and new value
  std::string why;

  auto operator<=>(const Adjustment&) const = default;
};

/// Anything that computes attention some other way. Three functions have no default; a kernel with gradients has three
/// more.
class Kernel {
 public:
  virtual ~Kernel() = default;

  /// With its settings: "flash:block_q=64".
  virtual std::string name() const = 0;
  /// Says if the kernel supports the forward pass of a problem, and its backward pass, if it computes gradients at all.
  virtual Support supports(const Problem&) const = 0;
  /// The arithmetic that the kernel declares, which fixes its tolerance; default: the class of the problem's formats.
  virtual Numerics numerics(const Problem&) const;
  /// The meaning of its answers where libraries differ; default: that of the rules.
  virtual Conventions conventions() const { return {}; }

  /// Writes every element of the outputs that exist; takes memory of the device only.
  virtual void forward(const Problem&, const Arguments&, Device&) const = 0;
  /// The documented formula of the peak of that memory.
  virtual index forward_bytes(const Problem&) const { return 0; }

  /// True if the kernel can leave its answer undivided, for merges. Only then is forward_partials called.
  virtual bool computes_partials() const { return false; }
  virtual void forward_partials(const Problem&, const PartialArguments&, Device&) const;

  /// True if the kernel also answers max_logits; `takes` refuses in place of one that does not.
  virtual bool computes_max_logits() const { return false; }

  /// True if there is a backward pass; `takes` refuses in place of a kernel without one.
  virtual bool computes_gradients() const { return false; }
  /// Writes every element of the gradients that exist. Only called of a kernel that computes them.
  virtual void backward(const Problem&, const BackwardArguments&, Device&) const;
  virtual index backward_bytes(const Problem&) const { return 0; }
  /// True if repeated backward calls give the same bits; false if sums follow the order in which threads arrive.
  virtual bool gradients_repeat(const Problem&) const { return true; }

  /// True if the kernel needs the mask as bytes; others evaluate the mask's plain data themselves.
  virtual bool wants_mask_bytes(const Problem&) const { return false; }
  /// True if the kernel takes a part of a larger problem with its placement, and in the backward pass delta in place of
  /// out, which it then does not read.
  virtual bool takes_parts() const { return false; }
  /// The changes to its settings that suit a problem; reports print them.
  virtual std::vector<Adjustment> adjustments(const Problem&) const { return {}; }

  /// The devices that it runs on, as --mesh=... names them; empty for one device. And the same kernel on fewer, the
  /// fewest first.
  virtual std::string devices() const { return ""; }
  virtual std::vector<std::shared_ptr<const Kernel>> on_fewer_devices() const { return {}; }

  /// The number of an outside kernel that its maker cannot choose, and that changes with the kernel.
  virtual std::optional<std::uint64_t> fingerprint() const { return std::nullopt; }
  /// True if an outside kernel was seen to compute with attestone itself: its answers are then ours.
  virtual bool uses_attestone() const { return false; }
  /// Brings an outside kernel back to where a new run finds it: its next call is its first.
  virtual void restart() const {}

  /// Says if the kernel takes the problem with everything that the problem asks for.
  Support takes(const Problem&) const;
};

/// A kernel as it is handed around: it lives as long as anybody holds it.
using SharedKernel = std::shared_ptr<const Kernel>;

}  // namespace attestone::inline backends
