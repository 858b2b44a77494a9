// SPDX-License-Identifier: Apache-2.0
// Mutant: NVFP4 scores of K less its mean, and FlashAttention-4's exponential: a polynomial of degree 3, whose
// exponent is put together with integers. It shows where a key lies more than 127 binary orders below the maximum:
// a weight of about -2^125.
#include <bit>

#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

template <bool fault>
struct Polynomial : softmax::WeightF16 {
  static float exp2(float x) {
    if (std::isnan(x)) return x;
    if (!fault) x = std::max(x, -127.0f);
    x = std::max(x, -4194304.0f);  // what 2^23 + 2^22 + x can hold
    const float whole = std::floor(x), f = x - whole;
    float p = 0.077119089663028717041015625f;
    p = std::fma(p, f, 0.227564394474029541015625f);
    p = std::fma(p, f, 0.695146143436431884765625f);
    p = std::fma(p, f, 1.0f);
    const std::uint32_t magic = std::bit_cast<std::uint32_t>(12582912.0f + whole);
    return std::bit_cast<float>((magic << 23) + std::bit_cast<std::uint32_t>(p));
  }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::tiles<Nvfp4Operands, Polynomial<fault>, 128>,
      {.numerics = std::string(nvfp4_scores) + "exp_error=9e-5 weight_roundoff=0x1p-11 weight_underflow=0x1p-25 "
                                               "weight_smallest_normal=0x1p-14 weight.tile_keys=128"});
}

SharedKernel right() { return made<false>("right_nvfp4_polynomial"); }

const Registration<Twin> twin{{
    .name = "right_nvfp4_polynomial",
    .summary = "NVFP4 scores of K less its mean, and FlashAttention-4's exponential: a polynomial of degree 3, whose "
               "exponent is put together with integers",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "exponent_wraps_into_the_sign",
    .summary = "the exponential is FlashAttention-4's polynomial without max(x, -127) before it, and the exponent of "
               "far keys wraps into the sign",
    .property = "codes_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x4x8x48:4 scale=6 dtype=bf16",
    .kernel = [] { return made<true>("exponent_wraps_into_the_sign"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
