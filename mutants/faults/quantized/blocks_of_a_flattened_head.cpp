// SPDX-License-Identifier: Apache-2.0
// Mutant: MXFP4 scores, 32 channels to a power of two; P in the format of the inputs. It shows where 32 does not
// divide dim.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

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

const Registration<Twin> twin{{
    .name = "right_mxfp4",
    .summary = "MXFP4 scores, 32 channels to a power of two; P in the format of the inputs",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "blocks_of_a_flattened_head",
    .summary = "blocks of 32 are cut from a head as it lies in memory, x.view(-1, 32), and reach from one token into "
               "the next",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x8x20:4 dtype=f16",
    .kernel = [] { return made<true>("blocks_of_a_flattened_head"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
