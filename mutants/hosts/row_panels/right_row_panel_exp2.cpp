// SPDX-License-Identifier: Apache-2.0
// A right kernel: row panels whose weights are powers of two, in blocks of 8 rows and short strips, from the last strip
// to the first.
#include "mutants/hosts/row_panels/kernel.hpp"
#include "mutants/hosts/row_panels/row_panel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::row_panels {
namespace {

struct FromTheEnd : RowPanel {
  Int block_rows() const override { return 8; }
  Int strip_keys() const override { return 96; }
  Int backward_strip_keys() const override { return 40; }
  bool last_strip_first() const override { return true; }
  float weight(float score, float maximum) const override {
    return std::exp2((score - maximum) * 1.44269504088896341f);
  }
};

const Registration<Twin> registered{{
    .name = "right_row_panel_exp2",
    .summary = "row panels with powers of two, short strips from the last to the first, and blocks of 8 rows",
    .batch = "fifth",
    .kernel = [] { return row_kernel<FromTheEnd>("right_row_panel_exp2"); },
}};

}  // namespace
}  // namespace attestone::inline mutants::row_panels
