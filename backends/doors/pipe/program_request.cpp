// SPDX-License-Identifier: Apache-2.0
// Filling requests.
#include "backends/doors/pipe/program_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>

#include "backends/doors/call/call_facts.hpp"
#include "reference/bias_extents.hpp"
#include "reference/scales.hpp"
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

/// A tensor and its scales, if it has any; one in pages as it lies there.
void add_stored(const std::string& name, const ConstView& view, Frame& frame) {
  const RowMap& rows = view.row_map();
  if (rows.pages())
    frame.add(name, ConstView(view.data(), view.dtype(), rows.in_memory(view.extents()), view.strides()));
  else
    frame.add(name, view);
  const Scales* scales = view.scales();
  if (!scales) return;
  frame.texts[name + "_scale_block"] = fmt::format("{}", fmt::join(scales->block, "x"));
  frame.add(name + "_scales", scales->numbers.view());
}

void add_pages(const ConstView& paged, Frame& frame) {
  const Pages* pages = paged.row_map().pages();
  if (!pages) return;
  frame.texts["rows_per_page"] = fmt::format("{}", pages->rows_per_page);
  const auto bytes = std::as_bytes(std::span(pages->table));
  frame.tensors.push_back(
      {"block_table", "I32", {paged.extents()[0], pages->pages_per_sequence}, {bytes.begin(), bytes.end()}});
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
  add_stored("query", inputs.query, frame);
  add_stored("key", inputs.key, frame);
  add_stored("value", inputs.value, frame);
  add_pages(inputs.key, frame);
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
