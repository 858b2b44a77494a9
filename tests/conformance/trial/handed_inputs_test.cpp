// SPDX-License-Identifier: Apache-2.0
// What a kernel is handed: a copy, the same one again as long as no call has written to it.
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/trial/same_bits.hpp"
#include "conformance/trial/trial.hpp"

namespace attestone {
namespace {

/// `flash` that writes to K after the call of that number, from 1 on, and notes where K was.
struct Scribbler {
  int calls = 0, scribbles_at;
  std::vector<const std::byte*> seen = {};

  SharedKernel kernel() {
    return changed(make_kernel("flash"), {.forward = [this](const Kernel& flash, const Problem& problem,
                                                            const Arguments& arguments, Device& device) {
                     seen.push_back(arguments.key.data());
                     flash.forward(problem, arguments, device);
                     if (++calls == scribbles_at) const_cast<std::byte&>(*arguments.key.data()) ^= std::byte{1};
                   }});
  }
};

const Problem problem = parse_problem("shape=1x2x5x7x8 pass=forward+backward");

TEST(HandedInputs, AreTheSameCopyWhileNobodyWritesToIt) {
  Scribbler never{.scribbles_at = 0};
  const SharedKernel kernel = never.kernel();
  Trial trial(*kernel, problem);
  for (int call = 0; call < 3; ++call) EXPECT_FALSE(trial.run(trial.inputs()).inputs_changed);
  EXPECT_EQ(never.seen[0], never.seen[1]);
  EXPECT_EQ(never.seen[1], never.seen[2]);
  EXPECT_NE(never.seen[0], std::as_const(trial.inputs().key).view().data());
}

TEST(HandedInputs, AreAFreshCopyOnceSomebodyHas) {
  Scribbler first{.scribbles_at = 1};
  const SharedKernel kernel = first.kernel();
  Trial trial(*kernel, problem);
  EXPECT_TRUE(trial.run(trial.inputs()).inputs_changed);
  EXPECT_FALSE(trial.run(trial.inputs()).inputs_changed);
}

TEST(HandedInputs, OfAnotherProblemAreNotKept) {
  Scribbler never{.scribbles_at = 0};
  const SharedKernel kernel = never.kernel();
  Trial trial(*kernel, problem);
  Inputs others = trial.inputs();
  others.value.fill_code(0);
  const Outputs zeros = trial.run(others).outputs, right = trial.run(trial.inputs()).outputs;
  EXPECT_FALSE(same_bits(zeros, right));
  EXPECT_TRUE(same_bits(trial.answer().outputs, right));
  EXPECT_FALSE(trial.backward().answer().inputs_changed);
}

}  // namespace
}  // namespace attestone
