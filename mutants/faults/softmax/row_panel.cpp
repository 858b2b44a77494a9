// SPDX-License-Identifier: Apache-2.0
// A sum of weights that is kept in f16.
#include "mutants/hosts/row_panels/row_panel.hpp"

#include "mutants/hosts/row_panels/kernel.hpp"
#include "mutants/hosts/row_panels/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::row_panels {
namespace {

/// Shows with f16 and rows of thousands of keys: the output is off by a factor, and log_sum_exp with it.
struct RowSumInHalf : RowPanel {
  float add_to_row_sum(const RowCall& call, float sum, float weight) const override {
    return call.input == Format::f16 ? rounded(sum + weight, Format::f16) : sum + weight;
  }
};

const Registrations<Mutant> registered{
    {.name = "row_sum_in_half",
     .summary = "with f16 inputs the sum of weights is kept in f16, where what is added to hundreds is rounded away",
     .source = "ggml-org/llama.cpp PR #24389",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x4096x8 dtype=f16>f32",
     .batch = "fifth",
     .kernel = [] { return row_kernel<RowSumInHalf>("row_sum_in_half"); },
     .twin = right_row_panel},
};

}  // namespace
}  // namespace attestone::inline mutants::row_panels
