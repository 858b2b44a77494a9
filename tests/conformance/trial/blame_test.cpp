// SPDX-License-Identifier: Apache-2.0
// Whose fault each kind of exception is, by who was at work.
#include "conformance/trial/blame.hpp"

#include <gtest/gtest.h>
#include <new>
#include <system_error>

#include "backends/kernel_fault.hpp"
#include "backends/stop_request.hpp"
#include "reference/system_failure.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

const std::error_code no_room = std::make_error_code(std::errc::no_space_on_device);

template <class Thrown>
void expect_blame(const Thrown& thrown, Blame by_judge, Blame by_kernel, Blame by_outside_kernel) {
  const std::exception_ptr exception = std::make_exception_ptr(thrown);
  EXPECT_EQ(blame(exception).whose, by_judge);
  EXPECT_EQ(blame(exception, Thrower::judge).whose, by_judge);
  EXPECT_EQ(blame(exception, Thrower::kernel).whose, by_kernel);
  EXPECT_EQ(blame(exception, Thrower::outside_kernel).whose, by_outside_kernel);
}

TEST(Blame, IsSaidByTheTypeWhoeverWasAtWork) {
  expect_blame(KernelFault("hung", "did not answer"), Blame::kernel, Blame::kernel, Blame::kernel);
  expect_blame(KernelCrash("threw"), Blame::kernel, Blame::kernel, Blame::kernel);
  expect_blame(KernelRefusal("odd"), Blame::refusal, Blame::refusal, Blame::refusal);
  expect_blame(Stopped(), Blame::stop, Blame::stop, Blame::stop);
  expect_blame(SystemFailure("no room"), Blame::machine, Blame::machine, Blame::machine);
  expect_blame(std::bad_alloc(), Blame::machine, Blame::machine, Blame::machine);
}

TEST(Blame, DependsOnWhoWasAtWorkOtherwise) {
  expect_blame(UserError("a mistake"), Blame::user, Blame::kernel, Blame::kernel);
  expect_blame(std::system_error(no_room), Blame::machine, Blame::kernel, Blame::machine);
  expect_blame(std::logic_error("no such row"), Blame::judge, Blame::kernel, Blame::machine);
  expect_blame(42, Blame::judge, Blame::kernel, Blame::judge);
}

TEST(Blame, HasTheReasonOfAVerdictWhereTheKernelIsToBlame) {
  EXPECT_EQ(blame(std::make_exception_ptr(KernelFault("hung", ""))).reason, "hung");
  EXPECT_EQ(blame(std::make_exception_ptr(KernelCrash(""))).reason, "crashed");
  EXPECT_EQ(blame(std::make_exception_ptr(42), Thrower::kernel).reason, "crashed");
  EXPECT_EQ(blame(std::make_exception_ptr(std::logic_error("")), Thrower::judge).reason, "");
}

template <class Thrown>
std::string said(const Thrown& thrown, Thrower thrower = Thrower::judge) {
  return blame(std::make_exception_ptr(thrown), thrower).says;
}

TEST(Blame, KeepsWhatAnExceptionSays) {
  EXPECT_EQ(said(KernelFault("hung", "did not answer")), "did not answer");
  EXPECT_EQ(said(std::logic_error("no such row")), "no such row");
  EXPECT_EQ(said(std::bad_alloc()), "out of memory");
  EXPECT_EQ(said(42), "something that is no std::exception");
  EXPECT_EQ(said(42, Thrower::kernel), "threw something that is no std::exception");
}

template <class Thrown>
std::exception_ptr rethrown(const Thrown& thrown, Thrower thrower) {
  try {
    blame(std::make_exception_ptr(thrown), thrower).rethrow();
  } catch (...) {
    return std::current_exception();
  }
}

/// Throwing again settles it: whoever looks at the exception next needs not know who was at work.
TEST(Blame, IsSaidByTheTypeOfWhatIsThrownAgain) {
  const auto expect_settled = [](const auto& thrown) {
    for (const Thrower thrower : {Thrower::judge, Thrower::kernel, Thrower::outside_kernel}) {
      const Blamed first = blame(std::make_exception_ptr(thrown), thrower), again = blame(rethrown(thrown, thrower));
      EXPECT_EQ(again.whose, first.whose);
      EXPECT_EQ(again.reason, first.reason);
      EXPECT_EQ(again.says, first.says);
      EXPECT_TRUE(again.by_type);
    }
  };
  expect_settled(KernelFault("hung", "did not answer"));
  expect_settled(KernelRefusal("odd"));
  expect_settled(Stopped());
  expect_settled(std::bad_alloc());
  expect_settled(UserError("a mistake"));
  expect_settled(std::system_error(no_room));
  expect_settled(std::logic_error("no such row"));
  expect_settled(42);
}

}  // namespace
}  // namespace attestone
