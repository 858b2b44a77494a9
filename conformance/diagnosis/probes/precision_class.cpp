// SPDX-License-Identifier: Apache-2.0
// Which class fits what was read, and whether it explains the answer.
#include "conformance/diagnosis/probes/precision_class.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "backends/changed_kernel.hpp"
#include "conformance/trial/trial.hpp"
#include "reference/numerics/declaration.hpp"

namespace attestone::inline conformance {
namespace {

/// Within one bit of what a format keeps: a step may hide in the rounding of another one.
bool keeps(int found, int bits) { return found >= bits - 1 && found <= bits + 1; }
constexpr int nearly_all = 18;

void raise(double& declared, double to) { declared = std::max(declared, to); }

void declare_operands(Numerics& n, double unit) {
  raise(n.score.operand_roundoff, unit), raise(n.value.operand_roundoff, unit);
  raise(n.gradient.operand_roundoff, unit);
}
void declare_scores(Numerics& n, double unit) { raise(n.score.stored.roundoff, unit); }
void declare_weights(Numerics& n, double unit) { raise(n.weight.cast.roundoff, unit); }
void declare_output(Numerics& n, double unit) { raise(n.output.cast.roundoff, unit); }
void declare_sums(Numerics& n, double unit) {
  for_each_stage(n, [unit](const char*, Stage& stage) { raise(stage.accumulator.roundoff, unit); });
}
void declare_all(Numerics& n, double unit) {
  declare_operands(n, unit), declare_scores(n, unit), declare_weights(n, unit);
}
void declare_everything(Numerics& n, double unit) { declare_all(n, unit), declare_sums(n, unit); }

/// The declaration of this class with which the kernel's answer conforms; nothing if there is none, or no need of it.
std::optional<std::string> sufficient(const Kernel& kernel, const Problem& problem, const PrecisionClass& worthy) {
  const Numerics declared = kernel.numerics(problem);
  for (const double unit : {std::exp2(-worthy.bits), std::exp2(1 - worthy.bits)}) {
    Numerics needed = declared;
    worthy.declare(needed, unit);
    const std::string text = declaration(declared, needed);
    if (text.empty()) return std::nullopt;
    const ChangedKernel humble(kernel, {.numerics = [&](const Problem&) { return needed; }});
    Trial trial(humble, problem);
    if (trial.compare_with_truth(trial.answer().outputs).conforms()) return text;
  }
  return std::nullopt;
}

}  // namespace

const std::vector<PrecisionClass>& precision_classes() {
  using Bits = PrecisionReadOut;
  static const std::vector<PrecisionClass> all{
      {"bf16", "operands, scores, weights and sums keep eight bits, as if all were bf16",
       [](const Bits& b) { return keeps(b.scores, 8) && b.weights == 8 && keeps(b.values, 8); }, declare_everything, 8},
      {"f16", "operands, scores, weights and sums keep eleven bits, as if all were f16",
       [](const Bits& b) { return keeps(b.scores, 11) && b.weights == 11 && keeps(b.values, 11); }, declare_everything,
       11},
      {"bf16-S-P", "scores and weights keep eight bits, as in bf16",
       [](const Bits& b) { return keeps(b.scores, 8) && b.weights == 8 && b.values >= nearly_all; }, declare_all, 8},
      {"f16-S-P", "scores and weights keep eleven bits, as in f16",
       [](const Bits& b) { return keeps(b.scores, 11) && b.weights == 11 && b.values >= nearly_all; }, declare_all, 11},
      {"bf16-S", "scores are kept in bf16",
       [](const Bits& b) { return keeps(b.scores, 8) && b.weights >= nearly_all && b.values >= nearly_all; },
       declare_scores, 8},
      {"f16-S", "scores are kept in f16, or in as few bits",
       [](const Bits& b) { return keeps(b.scores, 11) && b.weights >= nearly_all && b.values >= nearly_all; },
       declare_scores, 11},
      {"14-bit accumulator", "sums keep fourteen bits",
       [](const Bits& b) { return keeps(b.scores, 14) && keeps(b.values, 14) && b.weights >= nearly_all; },
       declare_sums, 14},
      {"bf16-O", "O, or the sum of weighted V, is kept in bf16",
       [](const Bits& b) {
         return b.scores >= nearly_all && keeps(b.values, 8) && (b.weights == 8 || b.weights >= nearly_all);
       },
       declare_output, 8},
      {"f16-O", "O, or the sum of weighted V, is kept in f16",
       [](const Bits& b) {
         return b.scores >= nearly_all && keeps(b.values, 11) && (b.weights == 11 || b.weights >= nearly_all);
       },
       declare_output, 11},
      {"tf32", "operands are rounded to eleven bits before they are multiplied",
       [](const Bits& b) { return keeps(b.operands, 11) && b.scores >= nearly_all; }, declare_operands, 11},
      {"bf16-QK", "operands are rounded to bf16 before they are multiplied",
       [](const Bits& b) { return keeps(b.operands, 8) && b.scores >= nearly_all; }, declare_operands, 8},
      {"bf16-P", "weights are rounded to bf16 before they meet V",
       [](const Bits& b) {
         return b.operands >= nearly_all && b.scores >= nearly_all && b.weights == 8 && b.values >= nearly_all;
       },
       declare_weights, 8},
      {"f16-P", "weights are rounded to f16 before they meet V",
       [](const Bits& b) {
         return b.operands >= nearly_all && b.scores >= nearly_all && b.weights == 11 && b.values >= nearly_all;
       },
       declare_weights, 11},
  };
  return all;
}

std::optional<WorthyClass> worthy_class(const Kernel& kernel, const Problem& problem) {
  const auto bits = effective_precision(kernel, problem);
  if (!bits) return std::nullopt;
  for (const PrecisionClass& known : precision_classes()) {
    if (!known.fits(*bits)) continue;
    if (auto declaration = sufficient(kernel, problem, known)) return WorthyClass{&known, std::move(*declaration)};
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace attestone::inline conformance
