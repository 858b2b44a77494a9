// SPDX-License-Identifier: Apache-2.0
// Mutant: NVFP4 scores; the scale factors lie as the tensor core wants them, in tiles of 128 rows by 4 scales. It
// shows with 65 to 127 channels and more than 128 rows, where tiles overlap and later ones win.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

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

const Registration<Twin> twin{{
    .name = "right_nvfp4_swizzled",
    .summary = "NVFP4 scores; the scale factors lie as the tensor core wants them, in tiles of 128 rows by 4 scales",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "scale_tiles_counted_by_whole_chunks",
    .summary = "scale factors lie in tiles of 128 rows by 4 scales, and the tiles beside each other are counted by "
               "dim / 64 cut off, in place of rounded up",
    .source = "ROCm/aiter PR #3896",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x150x96:4 dtype=f16",
    .kernel = [] { return made<true>("scale_tiles_counted_by_whole_chunks"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
