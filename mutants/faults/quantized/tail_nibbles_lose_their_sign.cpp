// SPDX-License-Identifier: Apache-2.0
// Mutant: int4 by threads, K less its mean; eight codes of a row are packed into a word of 32 bits. It shows where
// 8 does not divide dim.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/softmax.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

template <bool fault>
struct Packed {
  index dim = 0, words = 0;
  std::vector<std::uint32_t> data;
  std::vector<float> scales;

  void make(const coding::Coded& x) {
    dim = x.codes.cols, words = (dim + 7) / 8;
    data.assign(static_cast<std::size_t>(x.codes.rows * words), 0);
    scales = x.scales;
    for (index r = 0; r < x.codes.rows; ++r)
      for (index c = 0; c < dim; ++c) {
        const float code = x.codes.row(r)[c];
        const auto nibble = static_cast<std::uint32_t>(std::isnan(code) ? 0 : static_cast<int>(code)) & 15;
        data[static_cast<std::size_t>(r * words + c / 8)] |= nibble << (c % 8 * 4);
      }
  }

  void unpack(index r, int* out) const {
    const std::uint32_t* w = &data[static_cast<std::size_t>(r * words)];
    for (index c = 0; c < dim / 8 * 8; ++c) out[c] = sign_of(w[c / 8] >> (c % 8 * 4) & 15);
    for (index c = dim / 8 * 8; c < dim; ++c) {
      const std::uint32_t nibble = w[c / 8] >> (c % 8 * 4) & 15;
      out[c] = fault ? static_cast<int>(nibble) : sign_of(nibble);
    }
  }
  static int sign_of(std::uint32_t nibble) { return static_cast<int>(nibble ^ 8) - 8; }
};

template <bool fault>
void attend(const Call& call, index b, index kv) {
  Matrix keys = call.key_rows(b, kv);
  const std::vector<float> mean = coding::rounded_means(call, keys);
  coding::centre(call, keys, mean, true);
  Packed<fault> k, q;
  k.make(coding::by_key_threads<coding::Int4Thread>(keys, 64));
  std::vector<int> k_codes(static_cast<std::size_t>(call.keys * call.dim)), q_codes(static_cast<std::size_t>(call.dim));
  for (index j = 0; j < call.keys; ++j) k.unpack(j, &k_codes[static_cast<std::size_t>(j * call.dim)]);
  const Matrix v = call.value_rows(b, kv);
  softmax::TwoPasses<softmax::WeightF16> passes(call);

  for (index h = kv * call.group; h < (kv + 1) * call.group; ++h) {
    const Matrix queries = call.query_rows(b, h);
    q.make(coding::by_query_threads<coding::Int4Thread>(queries, 32));
    for (index i = 0; i < call.queries; ++i) {
      q.unpack(i, q_codes.data());
      const auto score = [&](index j) {
        int sum = 0;
        for (index c = 0; c < call.dim; ++c)
          sum += q_codes[static_cast<std::size_t>(c)] * k_codes[static_cast<std::size_t>(j * call.dim + c)];
        return static_cast<float>(sum) * (q.scales[static_cast<std::size_t>(coding::query_thread(i, 32))] *
                                          k.scales[static_cast<std::size_t>(coding::key_thread(j, 64))] * call.scale);
      };
      passes.answer(b, h, i, v, score, coding::dot(queries.row(i), mean.data(), call.dim) * call.scale);
    }
  }
}

template <bool fault>
void forward(const Call& call) {
  for (index b = 0; b < call.batch; ++b)
    for (index kv = 0; kv < call.kv_heads; ++kv) attend<fault>(call, b, kv);
}

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, forward<fault>,
      {.numerics =
           "score.query_codes.rule=int4_thread score.query_codes.sharing=query_thread score.query_codes.count=32 "
           "score.key_codes.rule=int4_thread score.key_codes.sharing=key_thread score.key_codes.count=64 "
           "score.key_codes.centring=rounded score.exact_products=yes "
           "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14"});
}

SharedKernel right() { return made<false>("right_int4_packed"); }

const Registration<Twin> twin{{
    .name = "right_int4_packed",
    .summary = "int4 by threads, K less its mean; eight codes of a row are packed into a word of 32 bits",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "tail_nibbles_lose_their_sign",
    .summary = "eight codes of a row are packed into a word; what is left of a row where 8 does not divide dim goes "
               "through a scalar loop that takes each nibble for 0 to 15",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x4x10:4 dtype=bf16",
    .kernel = [] { return made<true>("tail_nibbles_lose_their_sign"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
