// SPDX-License-Identifier: Apache-2.0
// Filling requests.
#include "backends/plugin/program_request.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "backends/plugin/call_facts.hpp"
#include "reference/bias_extents.hpp"
#include "reference/scores/alibi.hpp"

namespace attestone {
namespace {

const std::string protocol_version = "1";
constexpr const char* mask_forms[] = {"full", "band", "bytes"};

void add_texts(const Problem& problem, Frame& frame) {
  const wire::Call facts = call_facts(problem, wire::Request::forward);
  auto& texts = frame.texts;
  texts["attestone"] = protocol_version;
  texts["problem"] = problem.text();
  texts["scale"] = fmt::format("{}", facts.scale);
  texts["softcap"] = fmt::format("{}", facts.softcap);
  texts["dropout"] = fmt::format("{}", facts.dropout);
  texts["dropout_seed"] = fmt::format("{}", facts.dropout_seed);
  texts["mask_form"] = mask_forms[facts.mask_form];
  texts["causal"] = fmt::format("{}", facts.causal);
  texts["window_left"] = fmt::format("{}", facts.window_left);
  texts["window_right"] = fmt::format("{}", facts.window_right);
  texts["threads"] = fmt::format("{}", omp_get_max_threads());
  texts["output_dtype"] = problem.output.exchange.safetensors;
}

void add_mask(const Shape& s, const VisiblePairs& mask, Frame& frame) {
  Frame::NamedBytes tensor{"mask", "BOOL", {s.batch, s.heads, s.queries, s.keys}, {}};
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index i = 0; i < s.queries; ++i) {
        const auto row = std::as_bytes(mask.row(b, h, i));
        tensor.bytes.insert(tensor.bytes.end(), row.begin(), row.end());
      }
  frame.tensors.push_back(std::move(tensor));
}

void add_slopes(const Shape& s, Frame& frame) {
  Frame::NamedBytes tensor{"alibi_slopes", "F32", {s.heads}, {}};
  for (index h = 0; h < s.heads; ++h) {
    const auto slope = static_cast<float>(alibi_slope(h, s.heads));
    const auto bytes = std::as_bytes(std::span(&slope, 1));
    tensor.bytes.insert(tensor.bytes.end(), bytes.begin(), bytes.end());
  }
  frame.tensors.push_back(std::move(tensor));
}

/// The same elements once: axes along which they repeat have extent 1.
ConstView without_repeats(const Problem& problem, const ConstView& bias) {
  return {bias.data(), bias.dtype(), bias_extents(problem), bias.strides()};
}

void add_lengths(const char* name, const std::vector<index>& lengths, Frame& frame) {
  if (lengths.empty()) return;
  const auto bytes = std::as_bytes(std::span(lengths));
  frame.tensors.push_back({name, "I64", {std::ssize(lengths)}, {bytes.begin(), bytes.end()}});
}

}  // namespace

Frame describe_request() {
  Frame frame;
  frame.texts = {{"attestone", protocol_version}, {"call", "describe"}};
  return frame;
}

Frame forward_request(const Problem& problem, const KernelInputs& inputs) {
  const Shape& s = problem.shape;
  Frame frame;
  frame.texts["call"] = "forward";
  add_texts(problem, frame);
  frame.add("query", inputs.query);
  frame.add("key", inputs.key);
  frame.add("value", inputs.value);
  if (inputs.mask) add_mask(s, *inputs.mask, frame);
  if (inputs.bias) frame.add("bias", without_repeats(problem, *inputs.bias));
  if (inputs.sink) frame.add("sink", *inputs.sink, {s.heads});
  if (problem.score.has("alibi")) add_slopes(s, frame);
  add_lengths("query_lengths", problem.query_lengths, frame);
  add_lengths("key_lengths", problem.lengths, frame);
  return frame;
}

Frame backward_request(const Problem& problem, const BackwardArguments& arguments) {
  const Shape& s = problem.shape;
  Frame frame = forward_request(problem, arguments);
  frame.texts["call"] = "backward";
  frame.add("out", arguments.out);
  frame.add("log_sum_exp", arguments.log_sum_exp, {s.batch, s.heads, s.queries});
  frame.add("dout", arguments.dout);
  return frame;
}

}  // namespace attestone
