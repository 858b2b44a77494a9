// SPDX-License-Identifier: Apache-2.0
// Mutant: a cache of K and V in e4m3 with a scale for each head; Q stays as it is, softmax in f32. It shows with
// more than 512 keys, of which a later one is the largest.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

template <bool fault>
struct Cache {
  Matrix rows;
  float scale = 0;

  void fill(const Matrix& x) {
    constexpr index chunk = 512;
    const auto counted = static_cast<std::size_t>((fault ? std::min(chunk, x.rows) : x.rows) * x.cols);
    float largest = 0;
    for (std::size_t e = 0; e < counted; ++e) largest = coding::wider(largest, x.x[e]);
    scale = coding::E4m3::scale(largest);
    rows = x;
    for (float& e : rows.x) e = coding::E4m3::code(e, largest, scale);
  }
};

template <bool fault>
struct Operands {
  Matrix q;
  Cache<fault> k, v;
  float scale = 0;
  LastKvHead last;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale;
    q = call.query_rows(b, h);
    if (!last.changes(call, b, h)) return;
    k.fill(call.key_rows(b, kv));
    v.fill(call.value_rows(b, kv));
  }
  float score(index i, index j) const { return coding::dot(q.row(i), k.rows.row(j), q.cols) * (k.scale * scale); }
  const float* value(index j) const { return v.rows.row(j); }
  float value_factor(index) const { return v.scale; }
  float lse_share(index) const { return 0; }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(name, softmax::two_passes<Operands<fault>>,
                {.numerics = "score.key_codes.rule=e4m3 score.key_codes.sharing=head "
                             "value.codes.rule=e4m3 value.codes.sharing=head weight_roundoff=0 weight_underflow=0"});
}

SharedKernel right() { return made<false>("right_e4m3_cache"); }

const Registration<Twin> twin{{
    .name = "right_e4m3_cache",
    .summary = "a cache of K and V in e4m3 with a scale for each head; Q stays as it is, softmax in f32",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "cache_scale_of_first_512_tokens",
    .summary = "scales of a cache are found when the first 512 tokens are written and kept for all that come later: "
               "larger ones become the largest code",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x4x600x32:4 dtype=f16 fill=outliers",
    .kernel = [] { return made<true>("cache_scale_of_first_512_tokens"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
