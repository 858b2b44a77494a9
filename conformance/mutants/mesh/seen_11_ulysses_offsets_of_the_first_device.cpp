// SPDX-License-Identifier: Apache-2.0
// Wrong program: rows of the n-th member are written at n times the rows of the first one, and offsets that run over
// the end are moved back, as dynamic slices are.
// Source: bugs.md N04 (DeepSpeed #7384). Wrong on: Ulysses groups of four or more where at most N - 3 members have a
// row more, both passes.
// Wrong answer: ulysses:4 shape=1x4x5x5x8
#include <algorithm>

#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class OffsetsOfTheFirstDevice final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_11_ulysses_offsets_of_the_first_device";
  using ChangedSteps::ChangedSteps;

 protected:
  index row_offset(const Exchange& exchange, index sequence, index place) const override {
    const index all = exchange.all_rows().count(sequence), rows = exchange.rows_of(place).count(sequence);
    return std::min(place * exchange.rows_of(0).count(sequence), all - rows);
  }
};

const Registration<RankProgramEntry> registered{
    ulysses_entry<OffsetsOfTheFirstDevice>("every member is taken to have as many rows as the first")};

}  // namespace
}  // namespace attestone
