// SPDX-License-Identifier: Apache-2.0
// Codes shared by the threads of a warp, or multiplied in lanes, whose means, weights, words or sums go wrong.
#include "mutants/hosts/coded_operands/kernel.hpp"
#include "mutants/hosts/coded_operands/operands.hpp"
#include "mutants/hosts/coded_operands/softmax.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_operands {
namespace {

// Shows in bf16: a weight keeps 8 digits of the 11 that are declared.
namespace int8_threads {

template <bool fault>
struct Weight : softmax::WeightF32 {
  static float cast(const Call& call, float p) { return fault ? call.as_input(p) : f16_rounded(p); }
};

struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  float scale = 0;
  LastKvHead last;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale;
    q = coding::by_query_threads<coding::Int8Thread>(call.query_rows(b, h), 16);
    if (!last.changes(call, b, h)) return;
    k = coding::by_key_threads<coding::Int8Thread>(call.key_rows(b, kv), 128);
    v = call.value_rows(b, kv);
  }
  float score(index i, index j) const { return coding::thread_dot(q, i, 16, k, j, 128, scale); }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::tiles<Operands, Weight<fault>, 128>,
      {.numerics =
           "score.query_codes.rule=int8_thread score.query_codes.sharing=query_thread score.query_codes.count=16 "
           "score.key_codes.rule=int8_thread score.key_codes.sharing=key_thread score.key_codes.count=128 "
           "score.exact_products=yes "
           "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 weight.tile_keys=128"});
}

SharedKernel right() { return made<false>("right_int8_threads"); }

}  // namespace int8_threads

// Shows in log_sum_exp, little in f16, eight times as much in bf16, and the more the larger the mean.
namespace int8_threads_centred {

template <bool fault>
struct Operands : SmoothedKeys {
  coding::Coded q, k;
  LastKvHead last;
  float scale = 0;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale;
    if (last.changes(call, b, h)) {
      Matrix keys = call.key_rows(b, kv);
      mean = coding::rounded_means(call, keys);
      const std::vector<double> unrounded = coding::column_means(keys);
      coding::centre(call, keys, mean, true);
      if (fault)
        for (std::size_t c = 0; c < mean.size(); ++c) mean[c] = static_cast<float>(unrounded[c]);
      k = coding::by_key_threads<coding::Int8Thread>(keys, 64);
      v = call.value_rows(b, kv);
    }
    const Matrix queries = call.query_rows(b, h);
    q = coding::by_query_threads<coding::Int8Thread>(queries, 32);
    give_back(queries, scale);
  }
  float score(index i, index j) const { return coding::thread_dot(q, i, 32, k, j, 64, scale); }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::tiles<Operands<fault>, softmax::WeightF16Summed>,
      {.numerics =
           "score.query_codes.rule=int8_thread score.query_codes.sharing=query_thread score.query_codes.count=32 "
           "score.key_codes.rule=int8_thread score.key_codes.sharing=key_thread score.key_codes.count=64 "
           "score.key_codes.centring=rounded score.exact_products=yes "
           "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 "
           "weight.denominator_sums_cast=yes weight.tile_keys=64"});
}

SharedKernel right() { return made<false>("right_int8_threads_centred"); }

}  // namespace int8_threads_centred

// Shows where 8 does not divide dim.
namespace int4_packed {

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

}  // namespace int4_packed

// Shows from 64 channels on, where four large products have one sign.
namespace int8_pairs {

int whole(float code) { return std::isnan(code) ? 0 : static_cast<int>(code); }

template <bool fault>
struct Operands : softmax::PlainValues {
  std::vector<int> q, k;
  std::vector<float> q_scales, k_scales;
  index n = 0;
  LastKvHead last;
  float scale = 0;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale, n = call.dim;
    const coding::Coded coded = coding::by_rows<coding::Int8Block>(call.query_rows(b, h), 1);
    q_scales = coded.scales;
    q.clear();
    for (const float code : coded.codes.x) q.push_back(whole(code));
    if (!last.changes(call, b, h)) return;
    const coding::Coded keys = coding::by_rows<coding::Int8Block>(call.key_rows(b, kv), 1);
    k_scales = keys.scales;
    k.clear();
    for (const float code : keys.codes.x) k.push_back(whole(code));
    v = call.value_rows(b, kv);
  }

  static int pair(const int* x, const int* y) { return x[0] * y[0] + x[1] * y[1]; }

  float score(index i, index j) const {
    const int *x = &q[static_cast<std::size_t>(i * n)], *y = &k[static_cast<std::size_t>(j * n)];
    int sum = 0;
    index c = 0;
    for (; c + 64 <= n; c += 64)
      for (index lane = c; lane < c + 32; lane += 2) {
        const int both = pair(x + lane, y + lane) + pair(x + lane + 32, y + lane + 32);
        sum += fault ? std::clamp(both, -32768, 32767) : both;
      }
    for (; c < n; ++c) sum += x[c] * y[c];
    return static_cast<float>(sum) *
           (q_scales[static_cast<std::size_t>(i)] * k_scales[static_cast<std::size_t>(j)] * scale);
  }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::two_passes<Operands<fault>>,
      {.numerics = "score.query_codes.rule=int8_block score.query_codes.sharing=rows score.query_codes.count=1 "
                   "score.key_codes.rule=int8_block score.key_codes.sharing=rows score.key_codes.count=1 "
                   "score.exact_products=yes weight_roundoff=0 weight_underflow=0",
       .conventions = by_the_rules});
}

SharedKernel right() { return made<false>("right_int8_pairs"); }

}  // namespace int8_pairs

const Registrations<Twin> twins{
    {.name = "right_int8_threads",
     .summary = "int8 by threads of warps of 16 queries and 128 keys, P in f16; the denominator sums P as it was",
     .batch = "seventh",
     .kernel = int8_threads::right},
    {.name = "right_int8_threads_centred",
     .summary = "int8 by threads, K less its mean in the format of the inputs; P in f16, and so it is summed",
     .batch = "seventh",
     .kernel = int8_threads_centred::right},
    {.name = "right_int4_packed",
     .summary = "int4 by threads, K less its mean; eight codes of a row are packed into a word of 32 bits",
     .batch = "seventh",
     .kernel = int4_packed::right},
    {.name = "right_int8_pairs",
     .summary = "int8 by tokens as on a CPU without VNNI, bytes in pairs, 64 channels at a time; softmax in f32",
     .batch = "seventh",
     .kernel = int8_pairs::right},
};

const Registrations<Mutant> registered{
    {.name = "weights_in_format_of_inputs",
     .summary = "P is cast to the format of the inputs, where f16 is declared whatever the inputs are",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4x100x3x4 dtype=bf16",
     .batch = "seventh",
     .kernel = [] { return int8_threads::made<true>("weights_in_format_of_inputs"); },
     .twin = int8_threads::right},
    {.name = "unrounded_mean_given_back",
     .summary = "K loses its mean as rounded to the format of the inputs, log_sum_exp gets back the mean in f32",
     .property = "codes_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x1x4x8x4 dtype=bf16 fill=channel_offset",
     .batch = "seventh",
     .kernel = [] { return int8_threads_centred::made<true>("unrounded_mean_given_back"); },
     .twin = int8_threads_centred::right},
    {.name = "tail_nibbles_lose_their_sign",
     .summary = "eight codes of a row are packed into a word; what is left of a row where 8 does not divide dim goes "
                "through a scalar loop that takes each nibble for 0 to 15",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x4x10:4 dtype=bf16",
     .batch = "seventh",
     .kernel = [] { return int4_packed::made<true>("tail_nibbles_lose_their_sign"); },
     .twin = int4_packed::right},
    {.name = "pairs_of_products_saturate",
     .summary = "pairs of products from the two halves of 64 channels are added in 16 bits that saturate before they "
                "are widened",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x8x64:4 dtype=f16 fill=uniform",
     .batch = "seventh",
     .kernel = [] { return int8_pairs::made<true>("pairs_of_products_saturate"); },
     .twin = int8_pairs::right},
};

}  // namespace
}  // namespace attestone::inline mutants::coded_operands
