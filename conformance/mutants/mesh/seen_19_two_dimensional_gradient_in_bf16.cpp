// SPDX-License-Identifier: Apache-2.0
// Wrong program: dQ is rounded to bf16 on its way out, whatever format is asked for.
// Source: distributed.md section 9, ring-flash-attention. Wrong on: any ring of two or more, outputs with more bits
// than bf16, backward pass.
// Wrong answer: ulysses:2+ring:2 shape=1x2x8x8x8 pass=forward+backward
#include "backends/distributed/elements.hpp"
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class GradientInBf16 final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_19_two_dimensional_gradient_in_bf16";
  using ChangedSteps::ChangedSteps;

 protected:
  void before_rounding(const Rank& rank, Buffer& dquery) const override {
    Buffer narrow(rank.workspace, "dquery in bf16", dtype("bf16"), dquery.rows(), dquery.heads(), dquery.channels());
    round_into(dquery.all(), narrow.all());
    round_into(narrow.all(), dquery.all());
  }
};

const Registration<RankProgramEntry> registered{two_dimensional_entry<GradientInBf16>("returns dQ in bf16, widened")};

}  // namespace
}  // namespace attestone
