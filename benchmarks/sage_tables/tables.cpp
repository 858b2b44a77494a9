// SPDX-License-Identifier: Apache-2.0
// The tables of SageAttention's papers on inputs of the published structure (docs/quantized.md): what each choice of
// codes costs, beside what is published of it. Status 1 unless all rows stand in the published order.
// Run: sage_tables
#include <fmt/format.h>

#include "benchmarks/sage_tables/kernel_answer.hpp"
#include "benchmarks/sage_tables/structure.hpp"

namespace attestone {
namespace {

/// How a row stands to the one above it, by relative L1: equal, where what is published differs by a tenth at most, is
/// within half of it, and the same within a hundredth.
enum class Order { worse, equal, same };

struct Row {
  std::string_view name, published;  ///< cosine / relative L1 / RMSE
  Method method;
  Order order = Order::worse;
  std::string kernel = {};  ///< that answers instead of the method
};

struct Table {
  std::string_view name;
  Structure structure;
  std::vector<Row> rows;
};

constexpr ScaleSharing by_rows = ScaleSharing::rows;

OperandCodes codes(CodeRule rule, ScaleSharing sharing, index count, Centring centring = Centring::none,
                   index mean_rows = 0) {
  return {.rule = rule, .sharing = sharing, .count = count, .centring = centring, .mean_rows = mean_rows};
}

constexpr WeightCodes in_int8{"int8", 127}, in_e4m3{"e4m3", 448}, in_e5m2{"e5m2", 57344}, in_f16{"f16", 1};
constexpr WeightCodes in_mxfp4{"e2m1", 1, 32, "e8m0"}, in_nvfp4{"e2m1", 1, 16, "e4m3"},
    in_nvfp4_of_two_levels{"e2m1", 448 * 6, 16, "e4m3"};

const OperandCodes value_in_int8 = codes(CodeRule::int8_cuda, ScaleSharing::channel, 1);
const OperandCodes value_in_e4m3 = codes(CodeRule::e4m3, ScaleSharing::channel, 1);

Method with_scores(OperandCodes query, OperandCodes key) { return {.query = query, .key = key}; }

Method with_values(Method method, WeightCodes weight, OperandCodes value, std::string_view value_format = {}) {
  method.weight = weight, method.value = value, method.value_format = value_format;
  return method;
}

/// SageAttention's codes of Q and K less its mean, with a scale for so many rows of each.
Method int8_scores(index query_rows, index key_rows) {
  return with_scores(codes(CodeRule::int8_block, by_rows, query_rows),
                     codes(CodeRule::int8_block, by_rows, key_rows, Centring::rounded));
}

/// SageAttention2's, whose Q loses the mean of 128 rows.
Method int4_scores(ScaleSharing query, index query_rows, ScaleSharing key, index key_rows, bool smooth_query = true,
                   bool smooth_key = true) {
  const auto centring = [](bool smooth) { return smooth ? Centring::rounded : Centring::none; };
  return with_values(with_scores(codes(CodeRule::int4_thread, query, query_rows, centring(smooth_query), 128),
                                 codes(CodeRule::int4_thread, key, key_rows, centring(smooth_key))),
                     in_e4m3, value_in_e4m3);
}
Method int4_by_thread(bool smooth_query = true, bool smooth_key = true) {
  return int4_scores(ScaleSharing::query_thread, 32, ScaleSharing::key_thread, 64, smooth_query, smooth_key);
}

/// SageAttention3's: everything in e2m1, scales of as many neighbours as the weights have.
Method four_bits(CodeRule rule, WeightCodes weight, bool smooth_query = true, bool smooth_key = true) {
  const index together = weight.together;
  const auto centring = [](bool smooth) { return smooth ? Centring::rounded : Centring::none; };
  return with_values(with_scores(codes(rule, ScaleSharing::channels, together, centring(smooth_query), 128),
                                 codes(rule, ScaleSharing::channels, together, centring(smooth_key))),
                     weight, codes(rule, ScaleSharing::rows_of_channel, together));
}

Method rotated(Method method) {
  method.query.rotated = method.key.rotated = true;
  return method;
}
Method equalised(Method method) {
  method.equalised = true;
  return method;
}

const Structure normal{}, biased{.query_offset = 3, .key_offset = 2}, far_biased{.query_offset = 5, .key_offset = 4},
    uneven{.query_offset = 5, .key_offset = 4, .row_spread = 0.25}, biased_values{.key_offset = 4, .value_offset = 8.5};

// long: a table of tables
std::vector<Table> tables() {
  const Method token = int8_scores(1, 1), block = int8_scores(128, 64);
  const Method both = int4_by_thread();
  const auto e5m2 = [](const Method& method) { return with_values(method, in_e5m2, {}, "e5m2"); };
  Method smooth_values = both;
  smooth_values.value.centring = Centring::rounded;
  return {
      {"SageAttention, table 2: P and V",
       {.key_offset = 4, .sink = 4},
       {{"e4m3", "99.94 / 0.0345 / 3.53e-3", with_values(token, in_e4m3, value_in_e4m3)},
        {"e5m2", "99.81 / 0.0572 / 6.11e-3", e5m2(token)},
        {"int8", "99.70 / 0.1035 / 6.82e-3", with_values(token, in_int8, value_in_int8)}}},
      {"SageAttention, table 2: Q and K, with P and V in e4m3",
       {.key_offset = 4, .sink = 4},
       {{"int8", "99.94 / 0.0345 / 3.53e-3", with_values(token, in_e4m3, value_in_e4m3)},
        {"e4m3", "99.81 / 0.0607 / 5.93e-3",
         with_values(
             with_scores(codes(CodeRule::e4m3, by_rows, 1), codes(CodeRule::e4m3, by_rows, 1, Centring::rounded)),
             in_e4m3, value_in_e4m3)}}},
      {"SageAttention, table 3: P and V of the worst layer",
       {.key_offset = 4, .sink = 10},
       {{"f16", "99.99 / 0.0116 / 0.0091", with_values(token, in_f16, {}, "f16")},
        {"e4m3", "76.36", with_values(token, in_e4m3, value_in_e4m3)},
        {"int8", "56.40", with_values(token, in_int8, value_in_int8)}}},
      {"SageAttention, tables 4 and 5: how P and V in f16 are added up",
       {.key_offset = 4, .sink = 4},
       {{"in f32", "99.98 / 0.0156 / 2.94e-3", {}, Order::worse, "sage_qk_int8_pv_fp16_cuda:accumulator=fp32"},
        {"tiles in f16",
         "99.98 / 0.0156 / 2.94e-3",
         {},
         Order::same,
         "sage_qk_int8_pv_fp16_cuda:accumulator=fp16+fp32"}}},
      {"SageAttention, table 9: kernels on N(0, 1)",
       normal,
       {{"-T: tokens, f16", "100 / 0.019 / 6.8e-4", with_values(token, in_f16, {}, "f16")},
        {"-B: blocks, f16", "100 / 0.021 / 7.3e-4", with_values(block, in_f16, {}, "f16")},
        {"-vT: tokens, int8", "99.9 / 0.064 / 0.065", with_values(token, in_int8, value_in_int8)},
        {"-vB: blocks, int8", "98.9 / 0.138 / 0.067", with_values(block, in_int8, value_in_int8)}}},
      {"SageAttention2, table 4: smoothing of Q and K in int4",
       biased,
       {{"Q and K", "99.46 / 0.0648 / 0.0334", both},
        {"Q", "98.30 / 0.1250 / 0.0712", int4_by_thread(true, false)},
        {"K", "98.07 / 0.1493 / 0.0743", int4_by_thread(false, true)},
        {"SmoothQuant", "90.21 / 0.3383 / 0.1952", equalised(int4_by_thread(false, false))},
        {"none", "80.04 / 0.3906 / 0.2223", int4_by_thread(false, false)},
        {"Hadamard", "79.77 / 0.3782 / 0.2180", rotated(int4_by_thread(false, false)), Order::equal}}},
      {"SageAttention2, table 6: who shares a scale in int4",
       uneven,
       {{"token", "99.45 / 0.0649 / 0.0335", int4_scores(by_rows, 1, by_rows, 1)},
        {"thread", "99.45 / 0.0622 / 0.0313", both, Order::equal},
        {"block", "98.03 / 0.1492 / 0.0744", int4_scores(by_rows, 128, by_rows, 64)},
        {"tensor", "97.15 / 0.1800 / 0.0865", int4_scores(ScaleSharing::head, 1, ScaleSharing::head, 1)}}},
      {"SageAttention2, table 7: P and V, with Q and K in int4",
       {.query_offset = 1, .key_offset = 4, .sink = 6},
       {{"f16", "99.45 / 0.0649 / 0.0335", with_values(both, in_f16, {}, "f16")},
        {"e4m3", "99.44 / 0.0683 / 0.0347", both, Order::equal},
        {"e5m2", "99.20 / 0.0905 / 0.0903", e5m2(both)},
        {"int8", "77.05 / 0.5618 / 0.5044", with_values(both, in_int8, value_in_int8)}}},
      {"SageAttention2, table 10: the mean of V",
       biased_values,
       {{"subtracted", "99.75 / 0.0406 / 0.0773", smooth_values}, {"left", "98.25 / 0.1980 / 0.2387", both}}},
      {"SageAttention3: formats of four bits",
       far_biased,
       {{"NVFP4", "99.52 / 0.077 / 0.201", four_bits(CodeRule::nvfp4, in_nvfp4_of_two_levels)},
        {"MXFP4", "98.37 / 0.294 / 0.994", four_bits(CodeRule::mxfp4, in_mxfp4)}}},
      {"SageAttention3: P in two levels or one",
       far_biased,
       {{"two levels", "99.52 / - / 0.201", four_bits(CodeRule::nvfp4, in_nvfp4_of_two_levels)},
        {"one", "93.32 / - / 1.103", four_bits(CodeRule::nvfp4, in_nvfp4)}}},
      {"SageAttention3: smoothing",
       far_biased,
       {{"Q and K", "99.6", four_bits(CodeRule::nvfp4, in_nvfp4_of_two_levels)},
        {"K", "99.1", four_bits(CodeRule::nvfp4, in_nvfp4_of_two_levels, false, true)},
        {"Hadamard", "94.1", rotated(four_bits(CodeRule::nvfp4, in_nvfp4_of_two_levels, false, false))},
        {"SmoothQuant", "93.0", equalised(four_bits(CodeRule::nvfp4, in_nvfp4_of_two_levels, false, false))},
        {"none", "91.6", four_bits(CodeRule::nvfp4, in_nvfp4_of_two_levels, false, false)}}},
  };
}

constexpr index heads = 8, queries = 128, keys = 2048, dim = 64;

Accuracy accuracy_of(const Row& row, const Structure& structure) {
  std::vector<double> exact, all;
  for (index head = 0; head < heads; ++head) {
    const HeadRows rows = drawn(structure, head, queries, keys, dim);
    const std::vector<double> truth = answer(Method{}, rows);
    const std::vector<double> of_head = row.kernel.empty() ? answer(row.method, rows) : answer(row.kernel, rows);
    exact.insert(exact.end(), truth.begin(), truth.end());
    all.insert(all.end(), of_head.begin(), of_head.end());
  }
  return accuracy(exact, all);
}

bool stands(Order order, double error, double before) {
  if (order == Order::worse) return error > before;
  const double most = order == Order::equal ? 1.5 : 1.01;
  return error < most * before && before < most * error;
}

/// Prints it; whether its rows stand in the published order.
bool print(const Table& table) {
  fmt::print("\n{}\n\n| | published | here |\n|---|---|---|\n", table.name);
  bool in_order = true;
  double before = 0;
  for (const Row& row : table.rows) {
    const Accuracy of = accuracy_of(row, table.structure);
    const bool right = stands(row.order, of.relative_l1, before);
    fmt::print("| {} | {} | {:.2f} / {:.4f} / {:.3g} |{}\n", row.name, row.published, 100 * of.cosine, of.relative_l1,
               of.rmse, right ? "" : " not in order");
    in_order = in_order && right;
    before = of.relative_l1;
  }
  std::fflush(stdout);
  return in_order;
}

}  // namespace
}  // namespace attestone

int main() {
  bool in_order = true;
  for (const attestone::Table& table : attestone::tables()) in_order = attestone::print(table) && in_order;
  return in_order ? 0 : 1;
}
