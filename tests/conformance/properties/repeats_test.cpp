// SPDX-License-Identifier: Apache-2.0
// What repeats: numbers to the last bit, and that something is NaN, whichever NaN it is.
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/run/case.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// The code that replaces `code`, which is the code of the number `x`; `code` itself to change nothing. One of its bits
/// is the sign.
using Change = std::function<std::uint64_t(std::uint64_t code, double x, std::uint64_t sign)>;

/// `flash` with every other answer changed, from the first or from the second on: in the first element that the change
/// alters.
class Changing {
 public:
  Changing(Change change, bool from_the_first)
      : change_(std::move(change)), forwards_(from_the_first), backwards_(from_the_first) {}

  SharedKernel kernel() {
    return changed(
        make_kernel("flash"),
        {.forward =
             [this](const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
               flash.forward(problem, arguments, device);
               if (forwards_++ % 2) change_first(arguments.out);
             },
         .backward =
             [this](const Kernel& flash, const Problem& problem, const BackwardArguments& arguments, Device& device) {
               flash.backward(problem, arguments, device);
               if (backwards_++ % 2) change_first(arguments.dvalue);
             }});
  }

 private:
  void change_first(const View& view) const {
    const std::uint64_t sign = view.dtype().encode(-0.0);
    bool done = false;
    for_each_element(view, [&](index b, index h, index r, index c) {
      const std::uint64_t code = view.code(b, h, r, c), other = change_(code, view.value(b, h, r, c), sign);
      if (done || other == code) return;
      view.set_code(b, h, r, c, other);
      done = true;
    });
  }

  Change change_;
  int forwards_, backwards_;
};

void expect_of_both(Outcome expected, const Change& change) {
  const Problem problem = parse_problem("shape=8x2x5x2x8 dtype=bf16 fill=nonfinite pass=forward+backward seed=3");
  for (const char* property : {"repeats_bitwise", "gradient_repeats"})
    for (const bool from_the_first : {true, false}) {
      Changing changing(change, from_the_first);
      const SharedKernel kernel = changing.kernel();
      Trial trial(*kernel, problem);
      EXPECT_EQ(checked(*Registry<Property>::find(property), trial).outcome, expected) << property << from_the_first;
    }
}

TEST(Repeats, AnyNaNIsTheSame) {
  expect_of_both(Outcome::passed,
                 [](std::uint64_t code, double x, std::uint64_t sign) { return std::isnan(x) ? code ^ sign : code; });
}

TEST(Repeats, NoNumberIsAnother) {
  expect_of_both(Outcome::failed, [](std::uint64_t code, double x, std::uint64_t sign) {
    return std::isnan(x) || x == 0 ? code : code ^ sign;
  });
}

TEST(Repeats, NaNIsNoNumber) {
  expect_of_both(Outcome::failed, [](std::uint64_t code, double x, std::uint64_t) { return std::isnan(x) ? 0 : code; });
}

}  // namespace
}  // namespace attestone
