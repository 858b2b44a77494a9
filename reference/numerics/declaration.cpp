// SPDX-License-Identifier: Apache-2.0
// The fields of Numerics by name: reading and writing declarations.
#include "reference/numerics/declaration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <set>

#include "reference/numerics/fields.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

constexpr std::array<std::string_view, 6> visits_words{"ascending", "descending", "either_way",
                                                       "rotated",   "two_ended",  "any"};
constexpr std::array<std::string_view, 5> form_words{"none", "shared_maximum", "rescaled_sums", "late_correction",
                                                     "sigmoid"};
constexpr std::array<std::string_view, 13> rule_words{
    "none",          "f16",  "int8_block", "int8_thread", "int4_thread", "int8_cuda", "int8_block_128",
    "int8_cuda_128", "e4m3", "e4m3_small", "nvfp4",       "mxfp4",       "mxfp8"};
constexpr std::array<std::string_view, 7> sharing_words{"head",    "rows",     "query_thread",   "key_thread",
                                                        "channel", "channels", "rows_of_channel"};
constexpr std::array<std::string_view, 4> centring_words{"none", "rounded", "in_f32", "whole_in_f32"};

std::string value_text(double value) { return fmt::format("{}", value); }
std::string value_text(index value) { return fmt::format("{}", value); }
std::string value_text(bool value) { return value ? "yes" : "no"; }
std::string value_text(Visits value) { return std::string(visits_words.at(static_cast<std::size_t>(value))); }
std::string value_text(Invariance value) { return text(value); }
std::string value_text(MergeForm value) { return std::string(form_words.at(static_cast<std::size_t>(value))); }
std::string value_text(CodeRule value) { return std::string(rule_words.at(static_cast<std::size_t>(value))); }
std::string value_text(ScaleSharing value) { return std::string(sharing_words.at(static_cast<std::size_t>(value))); }
std::string value_text(Centring value) { return std::string(centring_words.at(static_cast<std::size_t>(value))); }

/// "batch, heads, ...".
std::string invariance_names() {
  std::string names;
  for (const InvarianceWord& word : invariance_words()) names += (names.empty() ? "" : ", ") + std::string(word.name);
  return names;
}

/// Thrown by what reads a value; with_declared knows where it stands.
struct WrongValue {
  std::string hint;
};

/// Not negative and finite: every field is a size.
void read(const std::string& text, double& value) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !std::isfinite(number) || number < 0) throw WrongValue{"a number, 0 or more"};
  value = number;
}

void read(const std::string& text, index& value) {
  constexpr double most = 1 << 30;
  double number = 0;
  read(text, number);
  if (number != std::floor(number) || number > most) throw WrongValue{"a whole number"};
  value = static_cast<index>(number);
}

void read(const std::string& text, bool& value) {
  if (text != "yes" && text != "no") throw WrongValue{"yes or no"};
  value = text == "yes";
}

template <class Enumeration, std::size_t n>
void read_word(const std::string& text, const std::array<std::string_view, n>& words, Enumeration& value) {
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) throw WrongValue{did_you_mean(text, std::vector<std::string>(words.begin(), words.end()))};
  value = static_cast<Enumeration>(found - words.begin());
}
void read(const std::string& text, Visits& value) { read_word(text, visits_words, value); }
void read(const std::string& text, MergeForm& value) { read_word(text, form_words, value); }
void read(const std::string& text, CodeRule& value) { read_word(text, rule_words, value); }
void read(const std::string& text, ScaleSharing& value) { read_word(text, sharing_words, value); }
void read(const std::string& text, Centring& value) { read_word(text, centring_words, value); }

void read(const std::string& text, Invariance& value) {
  const std::optional<Invariance> read = invariance_of(text);
  if (!read) throw WrongValue{"words with + between them: " + invariance_names() + "; or none"};
  value = *read;
}

/// The fields that a name stands for: its own, or those of a short name; none if it is unknown.
std::vector<std::string> fields_of(const std::string& name) {
  for (const ShortName& group : short_names())
    if (group.name == name) return group.fields;
  return {name};
}

/// Sets the field of this name; returns false if there is none.
bool set_field(Numerics& numerics, const std::string& name, const std::string& text) {
  bool found = false;
  for_each_field([&](const std::string& each, const auto& member, Looser) {
    if (each != name) return;
    read(text, member(numerics));
    found = true;
  });
  return found;
}

}  // namespace

// long: a table of names
const std::vector<ShortName>& short_names() {
  static const std::vector<ShortName> all = [] {
    std::vector<ShortName> names;
    for (const std::string field : {"roundoff", "truncates", "largest", "underflow"}) {
      ShortName accumulator{"accumulator_" + field, {}};
      Numerics none;
      for_each_stage(none, [&](const std::string& stage, const Stage&) {
        accumulator.fields.push_back(stage + ".accumulator." + field);
      });
      names.push_back(std::move(accumulator));
    }
    const std::vector<ShortName> others{
        {"operand_roundoff", {"score.operand_roundoff", "value.operand_roundoff", "gradient.operand_roundoff"}},
        {"prescale_roundoff", {"score.prescale.roundoff"}},
        {"prescale_underflow", {"score.prescale.underflow"}},
        {"score_roundoff", {"score.stored.roundoff"}},
        {"score_underflow", {"score.stored.underflow"}},
        {"score_largest", {"score.stored.largest"}},
        {"exp_error", {"weight.exp_error", "merge.exp_error"}},
        {"log_error", {"merge.log_error", "output.log_error"}},
        {"tanh_error", {"score.tanh_error"}},
        {"weight_roundoff", {"weight.cast.roundoff"}},
        {"weight_underflow", {"weight.cast.underflow"}},
        {"weight_smallest_normal", {"weight.cast.smallest_normal"}},
        {"denominator_sums_cast_weights", {"weight.denominator_sums_cast"}},
        {"weights_are_normalised", {"weight.normalised"}},
        {"tile_keys", {"weight.tile_keys"}},
        {"weight.reference_distance", {"weight.reference_above", "weight.reference_below"}},
        {"fresh_accumulator_per_tile", {"value.fresh_accumulator_per_tile"}},
        {"score_gradient_roundoff", {"gradient.cast.roundoff"}},
        {"score_gradient_underflow", {"gradient.cast.underflow"}},
        {"score_gradient_largest", {"gradient.cast.largest"}},
        {"delta_from_rounded_out", {"gradient.delta_from_rounded_out"}},
        {"output_roundoff", {"output.cast.roundoff"}},
        {"output_underflow", {"output.cast.underflow"}},
        {"output_largest", {"output.cast.largest"}},
        {"log_sum_exp_roundoff", {"output.log_sum_exp_roundoff"}},
    };
    names.insert(names.end(), others.begin(), others.end());
    return names;
  }();
  return all;
}

Numerics with_declared(Numerics numerics, std::string_view text, const std::string& owner) {
  return with_declared(numerics, declared_words(text), owner);
}

Numerics with_declared(Numerics numerics, std::span<const DeclaredWord> words, const std::string& owner) {
  constexpr std::string_view what = "numerics";
  std::set<std::string_view> said;
  for (const DeclaredWord& word : words) {
    if (!said.insert(word.name).second) word.refuse_name(owner, what, "say it once");
    try {
      for (const std::string& field : fields_of(word.name))
        if (!set_field(numerics, field, word.value))
          word.refuse_name(owner, what, did_you_mean(word.name, declarable_names()));
    } catch (const WrongValue& wrong) {
      word.refuse_value(owner, what, wrong.hint);
    }
  }
  return numerics;
}

std::string declaration(const Numerics& from, const Numerics& to) {
  const auto before = field_values(from), after = field_values(to);
  std::vector<std::pair<std::string, std::string>> changed;
  for (std::size_t at = 0; at < after.size(); ++at)
    if (before[at].second != after[at].second) changed.push_back(after[at]);
  std::string text;
  const auto add = [&](const std::string& name, const std::string& value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  };
  for (const ShortName& group : short_names()) {
    std::string value;
    const auto takes = [&](const auto& field) {
      return std::ranges::find(group.fields, field.first) != group.fields.end();
    };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(changed, takes));
    const auto first = std::ranges::find_if(changed, takes);
    if (count < group.fields.size()) continue;
    value = first->second;
    if (!std::ranges::all_of(changed, [&](const auto& f) { return !takes(f) || f.second == value; })) continue;
    std::erase_if(changed, takes);
    add(group.name, value);
  }
  for (const auto& [name, value] : changed) add(name, value);
  return text;
}

bool only_loosens(const Numerics& from, const Numerics& to) {
  bool differs = false, tightens = false;
  for_each_field([&](const std::string&, const auto& member, Looser looser) {
    const auto before = static_cast<double>(member(from)), after = static_cast<double>(member(to));
    differs = differs || before != after;
    tightens =
        tightens || (looser == Looser::larger && after < before) || (looser == Looser::smaller && after > before);
  });
  return differs && !tightens;
}

std::vector<std::pair<std::string, std::string>> field_values(const Numerics& numerics) {
  std::vector<std::pair<std::string, std::string>> all;
  for_each_field([&](const std::string& name, const auto& member, Looser) {
    all.emplace_back(name, value_text(member(numerics)));
  });
  return all;
}

std::vector<std::string> declarable_names() {
  std::vector<std::string> names;
  for_each_field([&](const std::string& name, const auto&, Looser) { names.push_back(name); });
  for (const ShortName& group : short_names()) names.push_back(group.name);
  std::ranges::sort(names);
  return names;
}

}  // namespace attestone
