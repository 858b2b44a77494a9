// SPDX-License-Identifier: Apache-2.0
// From a problem to the scalars of attestone_args.
#include "backends/plugins/protocol/call_facts.hpp"

#include <algorithm>
#include <cstdio>

#include "backends/plugins/protocol/kernel.h"

namespace attestone::inline backends {
namespace {

template <std::size_t N>
void copy_name(char (&to)[N], std::string_view from) {
  std::snprintf(to, N, "%.*s", static_cast<int>(from.size()), from.data());
}

bool is_rule(const Mask& mask, std::string_view name) { return mask.kind() == Mask::Kind::rule && mask.rule() == name; }

/// Notes what one part of a mask demands; false if causal and window cannot say it.
bool add_band(const Mask& mask, wire::Call& call) {
  if (mask.is_full()) return true;
  if (is_rule(mask, "causal")) {
    call.causal = 1;
    return true;
  }
  const bool free = call.window_left < 0 && call.window_right < 0;
  if (!is_rule(mask, "window") || !free) return false;
  call.window_left = mask.arguments()[0];
  call.window_right = mask.arguments()[1];
  return true;
}

void describe_mask(const Mask& mask, wire::Call& call) {
  call.mask_form = mask.is_full() ? ATTESTONE_MASK_FULL : ATTESTONE_MASK_BAND;
  const bool both = mask.kind() == Mask::Kind::and_;
  const bool is_band = both ? std::ranges::all_of(mask.parts(), [&](const Mask& part) { return add_band(part, call); })
                            : add_band(mask, call);
  if (is_band) return;
  call.mask_form = ATTESTONE_MASK_BYTES;
  call.causal = 0;
  call.window_left = call.window_right = -1;
}

}  // namespace

wire::Call call_facts(const Problem& problem, wire::Request request) {
  const Shape& s = problem.shape;
  wire::Call call;
  call.request = request;
  call.batch = s.batch, call.heads = s.heads, call.kv_heads = s.kv_heads;
  call.queries = s.queries, call.keys = s.keys, call.dim = s.dim, call.value_dim = s.value_dim;
  call.scale = problem.scale();
  call.softcap = problem.score.softcap().value_or(0);
  call.dropout = problem.dropout;
  call.dropout_seed = problem.seed;
  call.deterministic = problem.deterministic;
  describe_mask(problem.mask, call);
  copy_name(call.input_dtype, problem.input.name);
  copy_name(call.output_dtype, problem.output.name);
  copy_name(call.layout, problem.layout);
  return call;
}

std::string not_carried(const Problem& problem) {
  for (const DType* dtype : {&problem.input, &problem.output})
    if (!dtype->exchange.dlpack_code) return "the format " + std::string(dtype->name);
  for (const ScoreTerm& term : problem.score.terms())
    if (term.rule != "softcap" && term.rule != "alibi" && term.rule != "bias" && term.rule != "sink")
      return "the score " + term.rule;
  return {};
}

}  // namespace attestone::inline backends
