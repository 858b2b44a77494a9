// SPDX-License-Identifier: Apache-2.0
// The table of other codes, operand by operand.
#include "conformance/diagnosis/declarations/known_codes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attestone::inline conformance {
namespace {

/// An operand by its name, and by that of its fields.
struct Operand {
  std::string_view name, field;
  OperandCodes codes;
};

/// "field.NAME=VALUE field.NAME=VALUE"
std::string declares(const Operand& of, std::initializer_list<std::pair<std::string_view, std::string>> values) {
  std::vector<std::string> words;
  for (const auto& [name, value] : values) words.push_back(fmt::format("{}.{}={}", of.field, name, value));
  return fmt::format("{}", fmt::join(words, " "));
}

/// Who shares a scale, and the counts that kernels have.
struct Sharing {
  std::string_view word, says;  ///< of the operand and the count
  std::vector<int> counts;
};

void add_sharing(const Operand& of, std::vector<KnownCodes>& all) {
  static const std::vector<Sharing> known{
      {"rows", "gives each row of {0} a scale", {1}},
      {"rows", "gives {1} rows of {0} a scale", {8, 16, 32, 64, 128, 256}},
      {"query_thread",
       "gives the rows of {0} that a thread holds of {1} a scale, as threads hold Q",
       {16, 32, 64, 128}},
      {"key_thread", "gives the rows of {0} that a thread holds of {1} a scale, as threads hold K", {32, 64, 128}},
      {"head", "gives all of {0} in a head one scale", {1}},
      {"channel", "gives each channel of {0} a scale", {1}},
      {"channels", "gives {1} channels of each row of {0} a scale", {16, 32, 64}},
      {"rows_of_channel", "gives {1} rows of each channel of {0} a scale", {16, 32, 64}}};
  for (const Sharing& sharing : known)
    for (const int count : sharing.counts)
      all.push_back({fmt::format(fmt::runtime(sharing.says), of.name, count),
                     declares(of, {{"sharing", std::string(sharing.word)}, {"count", std::to_string(count)}})});
}

void add_means(const Operand& of, std::vector<KnownCodes>& all) {
  all.push_back({fmt::format("subtracts no mean from {}", of.name), declares(of, {{"centring", "none"}})});
  all.push_back({fmt::format("rounds {} less its mean to the format of {}", of.name, of.name),
                 declares(of, {{"centring", "rounded"}})});
  all.push_back({fmt::format("keeps {} less its mean in f32", of.name), declares(of, {{"centring", "in_f32"}})});
  all.push_back(
      {fmt::format("keeps {} less its mean, and that, in f32", of.name), declares(of, {{"centring", "whole_in_f32"}})});
  // Where it is declared, that it is not true is likelier than other means; else only sequences side by side refute it.
  if (of.codes.mean_of_batch)
    all.push_back(
        {fmt::format("subtracts from {} the mean of each sequence", of.name), declares(of, {{"mean_of_batch", "no"}})});
  for (const int rows : {0, 64, 128})
    all.push_back({rows == 0 ? fmt::format("subtracts the mean of all rows of {}", of.name)
                             : fmt::format("subtracts the means of {} rows of {}", rows, of.name),
                   declares(of, {{"mean_rows", std::to_string(rows)}})});
  for (const int rows : {1, 16, 32, 64, 128})
    all.push_back({rows == 1 ? fmt::format("counts the rows of {} for its mean, and no others", of.name)
                             : fmt::format("counts rows of {} up to a multiple of {} for its mean", of.name, rows),
                   declares(of, {{"mean_padding", std::to_string(rows)}})});
  if (!of.codes.mean_of_batch)
    all.push_back({fmt::format("subtracts from {} the mean of all sequences", of.name),
                   declares(of, {{"mean_of_batch", "yes"}})});
}

void add_rules(const Operand& of, std::vector<KnownCodes>& all) {
  for (const std::string rule : {"int8_block", "int8_thread", "int8_cuda", "int4_thread", "e4m3", "e4m3_small", "nvfp4",
                                 "mxfp4", "mxfp8", "f16", "none"})
    all.push_back({rule == "none" ? fmt::format("reads {} as it is given", of.name)
                                  : fmt::format("makes codes of {} by the rule {}", of.name, rule),
                   declares(of, {{"rule", rule}})});
}

/// Adds scales over 128 of all integers of 8 bits, as one function makes them.
void add_scales_over_128(const std::vector<Operand>& operands, std::vector<KnownCodes>& all) {
  constexpr CodeRule over_127[] = {CodeRule::int8_block, CodeRule::int8_thread, CodeRule::int8_cuda};
  for (const char* rule : {"int8_block_128", "int8_cuda_128"}) {
    std::vector<std::string> words;
    for (const Operand& of : operands)
      if (std::ranges::count(over_127, of.codes.rule) > 0) words.push_back(declares(of, {{"rule", rule}}));
    if (words.empty()) return;
    all.push_back(
        {"divides the largest number by 128, not by 127, for a scale", fmt::format("{}", fmt::join(words, " "))});
  }
}

}  // namespace

std::vector<KnownCodes> known_codes(const Numerics& declared) {
  const ScoreStage& score = declared.score;
  std::vector<Operand> operands{{"Q", "score.query_codes", score.query_codes},
                                {"K", "score.key_codes", score.key_codes},
                                {"V", "value.codes", declared.value.codes}};
  std::erase_if(operands, [](const Operand& of) { return !of.codes.happen(); });
  std::vector<KnownCodes> all;
  for (const Operand& of : operands) {
    add_sharing(of, all);
    if (of.codes.centring != Centring::none) add_means(of, all);
    add_rules(of, all);
    if (of.codes.fixed_largest > 0)
      all.push_back(
          {fmt::format("makes scales of {} of what shares them", of.name), declares(of, {{"fixed_largest", "0"}})});
    const bool rotated = of.codes.rotated;
    all.push_back({fmt::format("{} {} before it makes codes of it", rotated ? "does not rotate" : "rotates", of.name),
                   declares(of, {{"rotated", rotated ? "no" : "yes"}})});
  }
  add_scales_over_128(operands, all);
  const bool scaled = score.scaled_before_codes;
  all.push_back({scaled ? "makes codes of Q before it is scaled" : "makes codes of Q times the scale and log2 e",
                 fmt::format("score.scaled_before_codes={}", scaled ? "no" : "yes")});
  std::string everywhere;
  for (const Operand& of : operands) {
    const std::string off = declares(of, {{"quotient_error", "0x1p-21"}});
    all.push_back({fmt::format("makes other codes of {} in the middle between two of them", of.name), off});
    everywhere += (everywhere.empty() ? "" : " ") + off;
  }
  if (operands.size() > 1) all.push_back({"makes other codes in the middle between two of them", everywhere});
  return all;
}

}  // namespace attestone::inline conformance
