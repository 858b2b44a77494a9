// SPDX-License-Identifier: Apache-2.0
// attestone demo: a right kernel and a wrong one, judged in seconds.
#include <fmt/format.h>

#include "conformance/commands/commands.hpp"

namespace attestone {
namespace {

// Few enough problems to be quick; the lost tail shows as soon as keys are no multiple of its tile.
const std::vector<std::string> problem{"shape=1x2x40x40x32,1x4/2x33x70x64", "mask=full,causal", "dtype=f32,bf16"};

ExitStatus judge_one(const char* kernel) {
  RunCommand command;
  command.kernels = {kernel};
  command.problem = problem;
  return run_command(command);
}

}  // namespace

ExitStatus demo_command() {
  fmt::print("A right kernel: FlashAttention forward, tiled, with online softmax.\n\n");
  const ExitStatus right = judge_one("flash");
  fmt::print("\nA wrong one: the same algorithm, but the keys after the last full tile are never read.\n\n");
  const ExitStatus wrong = judge_one("lost_tail");
  fmt::print(
      "\nNext: attestone run --kernel=flash --suite=smoke, and attestone list mutants for more wrong kernels.\n");
  return right == ExitStatus::ok && wrong == ExitStatus::does_not_conform ? ExitStatus::ok : ExitStatus::internal_error;
}

}  // namespace attestone
