// SPDX-License-Identifier: Apache-2.0
// The instruction if there is one, else its twin.
#include "backends/cpu/simd/bfloat16_products.hpp"

#include "backends/cpu/simd/bfloat16_instructions.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd/bfloat16_products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

/// Both instructions belong to the widest vectors of x86, to which tests do not always let us go.
bool may_be_used_on_target() { return HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3; }

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline backends {
namespace {

HWY_EXPORT(may_be_used_on_target);

MultiplyPairs& chosen(PairProducts how) {
  if (how == PairProducts::dots) return has_instruction(how) ? multiply_by_dots : multiply_as_dots;
  return has_instruction(how) ? multiply_by_tiles : multiply_as_tiles;
}

}  // namespace

bool has_instruction(PairProducts how) {
  if (!HWY_DYNAMIC_DISPATCH(may_be_used_on_target)()) return false;
  return how == PairProducts::dots ? machine_has_dots() : machine_has_tiles();
}

std::optional<PairProducts> best_pair_products() {
  if (machine_has_tiles()) return PairProducts::tiles;
  if (machine_has_dots() && dots_outrun_floats()) return PairProducts::dots;
  return std::nullopt;
}

void set_pair_products(PairProducts how, PairedCodes left, index rows, const std::uint32_t* pairs, index products,
                       float* out) {
  chosen(how)(left, rows, pairs, products, SumsBegin::at_zero, out);
}

void add_pair_products(PairProducts how, PairedCodes left, index rows, const std::uint32_t* pairs, index products,
                       float* out) {
  chosen(how)(left, rows, pairs, products, SumsBegin::with_out, out);
}

}  // namespace attestone::inline backends
#endif
