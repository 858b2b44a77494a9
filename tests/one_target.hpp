// SPDX-License-Identifier: Apache-2.0
// Making Highway choose an instruction set.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>

namespace attestone {

/// Restricts Highway to one target while it lives.
class OneTarget {
 public:
  explicit OneTarget(std::int64_t target) { choose(target); }
  OneTarget(const OneTarget&) = delete;
  OneTarget& operator=(const OneTarget&) = delete;
  ~OneTarget() { choose(0); }

 private:
  static void choose(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();  // the next call chooses again
  }
};

/// Calls test() on every instruction set of this machine.
template <class Test>
void for_each_target(Test test) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    const OneTarget only(target);
    test();
  }
}

/// True if multiply-adds of the target round once.
inline bool fuses(std::int64_t target) {
#if HWY_ARCH_X86
  return target <= HWY_AVX2;  // better targets have smaller numbers
#else
  return target != HWY_EMU128 && target != HWY_SCALAR;
#endif
}

}  // namespace attestone
