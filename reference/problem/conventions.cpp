// SPDX-License-Identifier: Apache-2.0
// The table of conventions: names, words and what they mean.
#include "reference/problem/conventions.hpp"

#include <algorithm>
#include <numbers>

#include "reference/user_error.hpp"

namespace attestone {
namespace {

constexpr std::string_view outputs = "outputs", empty_rows = "empty_rows", hidden_nonfinite = "hidden_nonfinite",
                           lse = "lse", causal = "causal", bits = "bits";

/// visit(name, member) for each: a reference to an enumeration whose numbers count the values of the table.
template <class C, class Visit>
void for_each_convention(C& conventions, const Visit& visit) {
  visit(outputs, conventions.outputs);
  visit(empty_rows, conventions.empty_rows);
  visit(hidden_nonfinite, conventions.hidden_nonfinite);
  visit(lse, conventions.lse);
  visit(causal, conventions.causal);
  visit(bits, conventions.bits);
}

const ConventionField* field_of(std::string_view name) {
  const auto& all = convention_fields();
  const auto found = std::ranges::find(all, name, &ConventionField::name);
  return found == all.end() ? nullptr : &*found;
}

template <class Entries, class Member>
std::vector<std::string> words_of(const Entries& entries, Member member) {
  std::vector<std::string> words;
  for (const auto& entry : entries) words.emplace_back(entry.*member);
  return words;
}

}  // namespace

double Conventions::log_sum_exp_unit() const { return lse == LogSumExpBase::log2 ? std::numbers::ln2 : 1; }

const std::vector<ConventionField>& convention_fields() {
  static const std::vector<ConventionField> all{
      {outputs,
       {{"out+log_sum_exp", "the forward pass answers O and log_sum_exp"},
        {"out", "there is no log_sum_exp: it is not read, and nothing of it is judged"}}},
      {empty_rows,
       {{"zero", "a row that sees neither key nor sink answers 0, and -inf in log_sum_exp"},
        {"nan", "a row that sees neither key nor sink answers NaN, and -inf or NaN in log_sum_exp"},
        {"mean",
         "a row that sees neither key nor sink answers the mean of all rows of V; its log_sum_exp is not judged"},
        {"undefined", "what a row answers that sees no key is not judged"}}},
      {hidden_nonfinite,
       {{"ignored", "NaN and infinities at keys that a row may not see change nothing in it"},
        {"propagates", "NaN and infinities at keys that a row may not see may make its answer NaN"}}},
      {lse,
       {{"ln", "log_sum_exp is a natural logarithm"},
        {"log2", "log_sum_exp is a logarithm to base 2, and max_logits the largest of such scores"}}},
      {causal,
       {{"bottom_right", "causal aligns the last query with the last key"},
        {"top_left", "causal aligns the first query with the first key: mask=causal means causal:top_left"}}},
      {bits,
       {{"repeat", "the same call answers the same bits"},
        {"arrival",
         "sums of the forward pass have the order in which their parts arrive: bits may change, and every "
         "bound holds"}}},
  };
  return all;
}

bool names_convention(std::string_view name) { return field_of(name) != nullptr; }

Conventions with_declared(Conventions conventions, std::span<const DeclaredWord> words, const std::string& owner) {
  constexpr std::string_view what = "convention";
  for (const DeclaredWord& word : words) {
    const ConventionField* field = field_of(word.name);
    if (!field)
      word.refuse_name(owner, what, did_you_mean(word.name, words_of(convention_fields(), &ConventionField::name)));
    const auto value = std::ranges::find(field->values, word.value, &ConventionField::Value::word);
    if (value == field->values.end())
      word.refuse_value(owner, what, did_you_mean(word.value, words_of(field->values, &ConventionField::Value::word)));
    for_each_convention(conventions, [&]<class Value>(std::string_view name, Value& member) {
      if (name == word.name) member = static_cast<Value>(value - field->values.begin());
    });
  }
  return conventions;
}

Conventions declared_conventions(std::string_view text, const std::string& owner) {
  return with_declared(Conventions{}, declared_words(text), owner);
}

std::string DeclaredConvention::text() const { return std::string(name) + "=" + std::string(declared); }

std::vector<DeclaredConvention> differing(const Conventions& conventions) {
  std::vector<DeclaredConvention> all;
  for_each_convention(conventions, [&](std::string_view name, const auto& member) {
    const auto number = static_cast<std::size_t>(member);
    if (number == 0) return;
    const ConventionField& field = *field_of(name);
    all.push_back({name, field.values.at(number).word, field.values.at(number).meaning, field.values.front().word});
  });
  return all;
}

}  // namespace attestone
