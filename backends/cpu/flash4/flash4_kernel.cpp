// SPDX-License-Identifier: Apache-2.0
// FlashAttention-4 as the catalogue sees it: declared arithmetic, and heads one by one.
#include "backends/cpu/flash4/flash4_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "backends/catalogue.hpp"
#include "backends/cpu/flash4/exp2_polynomial.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/parts/row_by_row.hpp"
#include "reference/numerics/declared_class.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {

Support Flash4::supports(const Problem& problem) const { return taken_row_by_row(problem); }

Numerics Flash4::numerics(const Problem& problem) const {
  constexpr double cut = 0x1p-23;  // the unit aligns with two bits more, and keeps so many
  const double u = dtype("f32").unit_roundoff();
  Numerics numerics = float_numerics(problem, exp2_polynomial_error);
  numerics.score.accumulator.roundoff = numerics.value.accumulator.roundoff = cut;
  numerics.score.accumulator.truncates = numerics.value.accumulator.truncates = true;
  // A rounded product of the maximum is subtracted from one that is not: beyond, a weight could leave f16.
  numerics.score.stored.largest = 0x1p19;
  WeightStage& weight = numerics.weight;
  weight.cast.underflow = std::max(weight.cast.underflow, exp2_polynomial_underflow);
  weight.cast.smallest_normal = std::max(weight.cast.smallest_normal, exp2_polynomial_underflow);
  weight.reference_below = double{Flash4Head::late_by} * (1 + 2 * u) * std::numbers::ln2;
  weight.visits = Visits::descending;
  weight.tile_keys = Flash4Head::tile;
  numerics.tile_queries = Flash4Head::tile;
  numerics.output.log_sum_exp_roundoff = 3 * u;
  numerics.output.log_error = 4 * u;
  numerics.invariant = Invariance::batch | Invariance::heads;
  return numerics;
}

index Flash4::forward_bytes(const Problem& problem) const { return Flash4Head::bytes(problem); }

void Flash4::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  Flash4Head of_head(device, problem, as_published_);
  attend_row_by_row(of_head, problem, arguments, device);
}

namespace {

const Registration<KernelEntry> registered{{
    .name = "flash4",
    .summary = "FlashAttention-4: a maximum that is raised late, powers of 2 by a polynomial (CUDA, sm100)",
    .settings = {},
    .make = [](const Settings&) -> SharedKernel { return std::make_shared<Flash4>(); },
}};

}  // namespace
}  // namespace attestone::inline backends
