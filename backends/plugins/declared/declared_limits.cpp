// SPDX-License-Identifier: Apache-2.0
// Reading declared limits, and holding problems against them.
#include "backends/plugins/declared/declared_limits.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <sstream>

#include "backends/plugins/protocol/call_facts.hpp"
#include "backends/plugins/protocol/kernel.h"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline backends {
namespace {

using Words = std::vector<std::string>;

/// The words that a list may hold.
const std::map<std::string, Words, std::less<>>& list_fields() {
  static const std::map<std::string, Words, std::less<>> all{
      {"dtypes", Registry<DType>::names()}, {"layouts", Registry<Layout>::names()},
      {"masks", {"any", "band", "full"}},   {"scores", {"alibi", "bias", "sink", "softcap"}},
      {"bias_gradients", {"no", "yes"}},    {"sink_gradients", {"no", "yes"}},
      {"dropout", {"no", "yes"}},           {"zero_extents", {"no", "yes"}},
      {"value_dim", {"no", "yes"}},         {"mixed_output", {"no", "yes"}},
      {"negative_scale", {"no", "yes"}},    {"gqa", {"no", "yes"}},
      {"lengths", {"no", "yes"}},           {"subsets", {"no", "yes"}},
      {"max_logits", {"no", "yes"}}};
  return all;
}

const Words number_fields{"max_dim", "max_keys", "max_queries"};

Words split(const std::string& text) {
  Words words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, '+');) words.push_back(word);
  return words;
}

/// True if there are no queries or no keys, in the whole or in one sequence.
bool has_zero_extent(const Problem& problem) {
  const Shape& s = problem.shape;
  if (s.batch == 0 || s.heads == 0 || s.queries == 0 || s.keys == 0 || s.dim == 0 || s.value_dim == 0) return true;
  for (index b = 0; b < s.batch; ++b)
    if (problem.sequence(b).queries == 0 || problem.sequence(b).keys == 0) return true;
  return false;
}

}  // namespace

DeclaredLimits::DeclaredLimits(std::string_view text, const std::string& owner) {
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const auto fail = [&](const std::string& hint) {
      throw UserError(fmt::format("{} declares '{}' of its limits", owner, word), hint);
    };
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (lists_.count(name) || largest_.count(name)) fail("say it once");
    if (const auto field = list_fields().find(name); field != list_fields().end()) {
      lists_[name] = split(value);
      for (const std::string& entry : lists_[name])
        if (std::ranges::find(field->second, entry) == field->second.end()) fail(did_you_mean(entry, field->second));
    } else if (std::ranges::find(number_fields, name) != number_fields.end()) {
      index& most = largest_[name];
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), most);
      if (error != std::errc{} || end != value.data() + value.size() || most < 0) fail("a whole number");
    } else {
      Words known = number_fields;
      for (const auto& [field_name, entries] : list_fields()) known.push_back(field_name);
      fail(did_you_mean(name, known));
    }
  }
}

bool DeclaredLimits::takes(std::string_view field, std::string_view word) const {
  const auto list = lists_.find(field);
  return list == lists_.end() || std::ranges::find(list->second, word) != list->second.end();
}

bool DeclaredLimits::gives_max_logits() const { return lists_.contains("max_logits") && takes("max_logits", "yes"); }

bool DeclaredLimits::within(std::string_view field, index extent) const {
  const auto most = largest_.find(field);
  return most == largest_.end() || extent <= most->second;
}

Support DeclaredLimits::supports(const Problem& problem) const {
  const auto refuse = [](std::string_view what) { return Support::refused(fmt::format("does not take {}", what)); };
  for (const DType* dtype : {&problem.input, &problem.output})
    if (!takes("dtypes", dtype->name)) return refuse(dtype->name);
  if (!takes("layouts", problem.layout)) return refuse("the layout " + problem.layout);
  for (const TensorLayout& own : problem.tensor_layouts)
    if (!takes("layouts", own.layout)) return refuse("the layout " + own.layout);
  const std::int32_t form = call_facts(problem, wire::Request::forward).mask_form;
  const bool listed = (form == ATTESTONE_MASK_FULL && takes("masks", "full")) ||
                      (form == ATTESTONE_MASK_BAND && takes("masks", "band"));
  if (!listed && !takes("masks", "any"))
    return refuse(form == ATTESTONE_MASK_FULL   ? "the full mask"
                  : form == ATTESTONE_MASK_BAND ? "causal and windows"
                                                : "such masks");
  for (const ScoreTerm& term : problem.score.terms())
    if (!takes("scores", term.rule)) return refuse("the score " + term.rule);
  if (problem.backward && problem.score.bias_tensor() && !takes("bias_gradients", "yes"))
    return refuse("gradients of a bias");
  if (problem.backward && problem.score.has_sink() && !takes("sink_gradients", "yes"))
    return refuse("gradients of sinks");
  if (problem.dropout > 0 && !takes("dropout", "yes")) return refuse("dropout");
  if (problem.shape.heads != problem.shape.kv_heads && !takes("gqa", "yes")) return refuse("heads that share keys");
  if (!(problem.lengths.empty() && problem.query_lengths.empty()) && !takes("lengths", "yes"))
    return refuse("sequences of different lengths");
  if (!problem.wants_all() && !takes("subsets", "yes")) return refuse("problems that ask for some answers alone");
  const Shape& s = problem.shape;
  if (has_zero_extent(problem) && !takes("zero_extents", "yes")) return refuse("extents of 0");
  if (s.dim != s.value_dim && !takes("value_dim", "yes")) return refuse("a value_dim that is not dim");
  if (!(problem.input == problem.output) && !takes("mixed_output", "yes"))
    return refuse("an output format that is not that of the inputs");
  if (problem.scale() < 0 && !takes("negative_scale", "yes")) return refuse("a negative scale");
  if (!within("max_dim", std::max(s.dim, s.value_dim))) return refuse("such a dim");
  if (!within("max_queries", s.queries)) return refuse("so many queries");
  if (!within("max_keys", s.keys)) return refuse("so many keys");
  return {};
}

}  // namespace attestone::inline backends
