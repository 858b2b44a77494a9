// SPDX-License-Identifier: Apache-2.0
// MXFP8, MXFP4 and NVFP4 scores whose blocks, scales or exponentials go wrong.
#include <bit>

#include "mutants/hosts/coded_operands/kernel.hpp"
#include "mutants/hosts/coded_operands/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_operands {
namespace {

// Shows in f16: one block in some three hundred gets the next power of two, as where 1.998 becomes 2.
namespace mxfp8_scores {

template <bool fault>
struct Rule {
  static float scale(float a) { return coding::Mxfp8::scale(fault ? bf16_rounded(a) : a); }
  static float code(float x, float a, float s) { return coding::Mxfp8::code(x, a, s); }
};

template <bool fault>
struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  float scale = 0;
  LastKvHead last;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale;
    q = coding::by_channels<Rule<fault>>(call.query_rows(b, h), 32);
    if (!last.changes(call, b, h)) return;
    k = coding::by_channels<Rule<fault>>(call.key_rows(b, kv), 32);
    v = call.value_rows(b, kv);
  }
  float score(index i, index j) const { return coding::blocked_dot(q, i, k, j, 32) * scale; }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::two_passes<Operands<fault>>,
      {.numerics = "score.query_codes.rule=mxfp8 score.query_codes.sharing=channels score.query_codes.count=32 "
                   "score.key_codes.rule=mxfp8 score.key_codes.sharing=channels score.key_codes.count=32 "
                   "weight_roundoff=0 weight_underflow=0",
       .conventions = by_the_rules});
}

SharedKernel right() { return made<false>("right_mxfp8_scores"); }

}  // namespace mxfp8_scores

// Shows where 32 does not divide dim.
namespace mxfp4 {

template <bool fault>
struct Blocks {
  index dim, per_row;
  explicit Blocks(index d) : dim(d), per_row((d + 31) / 32) {}
  index operator()(index r, index c) const { return fault ? (r * dim + c) / 32 : r * per_row + c / 32; }
};

template <bool fault>
struct Operands : softmax::PlainValues {
  Matrix q, k;  // codes times their powers of two: exact
  float scale = 0;
  LastKvHead last;

  static Matrix numbers(const Matrix& x) {
    const Blocks<fault> block(x.cols);
    coding::Coded coded = coding::encode<coding::Mxfp4>(x, x.rows * block.per_row, block);
    for (index r = 0; r < x.rows; ++r)
      for (index c = 0; c < x.cols; ++c) coded.codes.row(r)[c] *= coded.scales[static_cast<std::size_t>(block(r, c))];
    return coded.codes;
  }

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale;
    q = numbers(call.query_rows(b, h));
    if (!last.changes(call, b, h)) return;
    k = numbers(call.key_rows(b, kv));
    v = call.value_rows(b, kv);
  }
  float score(index i, index j) const { return coding::dot(q.row(i), k.row(j), q.cols) * scale; }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::tiles<Operands<fault>, softmax::WeightInput>,
      {.numerics = "score.query_codes.rule=mxfp4 score.query_codes.sharing=channels score.query_codes.count=32 "
                   "score.key_codes.rule=mxfp4 score.key_codes.sharing=channels score.key_codes.count=32 "
                   "weight.tile_keys=64",
       .conventions = by_the_rules});
}

SharedKernel right() { return made<false>("right_mxfp4"); }

}  // namespace mxfp4

// Shows with 65 to 127 channels and more than 128 rows, where tiles overlap and later ones win.
namespace nvfp4_swizzled {

template <bool fault>
struct Swizzled {
  Matrix codes;
  std::vector<float> scales;
  index tiles_beside;

  index place(index r, index g) const {
    return (r / 128 * tiles_beside + g / 4) * 512 + r % 32 * 16 + r % 128 / 32 * 4 + g % 4;
  }

  void make(const Matrix& x) {
    const index per_row = (x.cols + 15) / 16;
    tiles_beside = fault ? std::max<index>(1, x.cols / 64) : (per_row + 3) / 4;
    // Room for all of it, however it is counted.
    scales.assign(static_cast<std::size_t>(((x.rows + 127) / 128 + 1) * ((per_row + 3) / 4) * 512), 0.0f);
    const coding::Coded plain = coding::by_channels<coding::Nvfp4>(x, 16);
    codes = plain.codes;
    for (index r = 0; r < x.rows; ++r)
      for (index g = 0; g < per_row; ++g)
        scales[static_cast<std::size_t>(place(r, g))] = plain.scales[static_cast<std::size_t>(r * per_row + g)];
  }
};

template <bool fault>
struct Operands : softmax::PlainValues {
  Swizzled<fault> q, k;
  float scale = 0;
  LastKvHead last;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale;
    q.make(call.query_rows(b, h));
    if (!last.changes(call, b, h)) return;
    k.make(call.key_rows(b, kv));
    v = call.value_rows(b, kv);
  }
  float score(index i, index j) const {
    float sum = 0;
    for (index g = 0; g * 16 < q.codes.cols; ++g) {
      const float part =
          coding::dot(q.codes.row(i) + g * 16, k.codes.row(j) + g * 16, std::min<index>(16, q.codes.cols - g * 16));
      sum += part *
             (q.scales[static_cast<std::size_t>(q.place(i, g))] * k.scales[static_cast<std::size_t>(k.place(j, g))]);
    }
    return sum * scale;
  }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::tiles<Operands<fault>, softmax::WeightF16>,
      {.numerics =
           "score.query_codes.rule=nvfp4 score.query_codes.sharing=channels score.query_codes.count=16 "
           "score.key_codes.rule=nvfp4 score.key_codes.sharing=channels score.key_codes.count=16 "
           "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 weight.tile_keys=64",
       .conventions = by_the_rules});
}

SharedKernel right() { return made<false>("right_nvfp4_swizzled"); }

}  // namespace nvfp4_swizzled

// Shows where a key lies more than 127 binary orders below the maximum: a weight of about -2^125.
namespace nvfp4_polynomial {

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

}  // namespace nvfp4_polynomial

const Registrations<Twin> twins{
    {.name = "right_mxfp8_scores",
     .summary = "MXFP8 scores, 32 channels to a power of two; softmax and P V in f32",
     .batch = "seventh",
     .kernel = mxfp8_scores::right},
    {.name = "right_mxfp4",
     .summary = "MXFP4 scores, 32 channels to a power of two; P in the format of the inputs",
     .batch = "seventh",
     .kernel = mxfp4::right},
    {.name = "right_nvfp4_swizzled",
     .summary = "NVFP4 scores; the scale factors lie as the tensor core wants them, in tiles of 128 rows by 4 scales",
     .batch = "seventh",
     .kernel = nvfp4_swizzled::right},
    {.name = "right_nvfp4_polynomial",
     .summary = "NVFP4 scores of K less its mean, and FlashAttention-4's exponential: a polynomial of degree 3, whose "
                "exponent is put together with integers",
     .batch = "seventh",
     .kernel = nvfp4_polynomial::right},
};

const Registrations<Mutant> registered{
    {.name = "block_maximum_in_bf16",
     .summary = "the largest number of a block is found by packed maxima of bf16",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x32x64x128:4 dtype=f16",
     .batch = "seventh",
     .kernel = [] { return mxfp8_scores::made<true>("block_maximum_in_bf16"); },
     .twin = mxfp8_scores::right},
    {.name = "blocks_of_a_flattened_head",
     .summary = "blocks of 32 are cut from a head as it lies in memory, x.view(-1, 32), and reach from one token into "
                "the next",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x8x20:4 dtype=f16",
     .batch = "seventh",
     .kernel = [] { return mxfp4::made<true>("blocks_of_a_flattened_head"); },
     .twin = mxfp4::right},
    {.name = "scale_tiles_counted_by_whole_chunks",
     .summary = "scale factors lie in tiles of 128 rows by 4 scales, and the tiles beside each other are counted by "
                "dim / 64 cut off, in place of rounded up",
     .source = "ROCm/aiter PR #3896",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x150x96:4 dtype=f16",
     .batch = "seventh",
     .kernel = [] { return nvfp4_swizzled::made<true>("scale_tiles_counted_by_whole_chunks"); },
     .twin = nvfp4_swizzled::right},
    {.name = "exponent_wraps_into_the_sign",
     .summary = "the exponential is FlashAttention-4's polynomial without max(x, -127) before it, and the exponent of "
                "far keys wraps into the sign",
     .property = "codes_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x4x8x48:4 scale=6 dtype=bf16",
     .batch = "seventh",
     .kernel = [] { return nvfp4_polynomial::made<true>("exponent_wraps_into_the_sign"); },
     .twin = nvfp4_polynomial::right},
};

}  // namespace
}  // namespace attestone::inline mutants::coded_operands
