// SPDX-License-Identifier: Apache-2.0
// Filling requests.
#include "backends/plugins/program/program_request.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <omp.h>

#include "backends/plugins/protocol/call_facts.hpp"
#include "reference/call/bias_extents.hpp"
#include "reference/scores/alibi.hpp"
#include "reference/tensor/scales.hpp"

namespace attestone::inline backends {
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

/// Names the answers that are asked for, if some are not: "dkey+dvalue".
void add_wants(const Problem& problem, const std::vector<TensorName>& answers, Frame& frame) {
  if (problem.wants.empty()) return;
  std::vector<TensorName> wanted;
  std::ranges::copy_if(answers, std::back_inserter(wanted), [&](TensorName answer) { return problem.wanted(answer); });
  frame.texts["wants"] = fmt::format("{}", fmt::join(names_of(wanted), "+"));
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

/// A view of each element once: axes along which they repeat have extent 1.
ConstView without_repeats(const Problem& problem, const ConstView& bias) {
  return {bias.data(), bias.dtype(), bias_extents(problem), bias.strides()};
}

void add_lengths(const char* name, const std::vector<index>& lengths, Frame& frame) {
  if (lengths.empty()) return;
  const auto bytes = std::as_bytes(std::span(lengths));
  frame.tensors.push_back({name, "I64", {std::ssize(lengths)}, {bytes.begin(), bytes.end()}});
}

/// A tensor with the axes that are shown of it; one in pages as it lies there.
void add(TensorName name, const ConstView& view, Frame& frame) {
  const ConstView stored = view.row_map().pages() ? ConstView(view.data(), view.dtype(),
                                                              view.row_map().in_memory(view.extents()), view.strides())
                                                  : view;
  const auto [first, count] = call_tensor(name).shown;
  const auto begin = stored.extents().begin() + first;
  frame.add(std::string(text(name)), stored, {begin, begin + count});
}

void add_scales(TensorName name, const ConstView& scaled, Frame& frame) {
  const Scales* scales = scaled.scales();
  if (!scales) return;
  add(name, scales->numbers.view(), frame);
  std::string field(text(name));
  field.replace(field.size() - 1, 1, "_block");  // key_scales: key_scale_block
  frame.texts[field] = fmt::format("{}", fmt::join(scales->block, "x"));
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
  add(TensorName::query, inputs.query, frame);
  add(TensorName::key, inputs.key, frame);
  add(TensorName::value, inputs.value, frame);
  add_pages(inputs.key, frame);
  add_scales(TensorName::query_scales, inputs.query, frame);
  add_scales(TensorName::key_scales, inputs.key, frame);
  add_scales(TensorName::value_scales, inputs.value, frame);
  if (inputs.mask) add_mask(s, *inputs.mask, frame);
  if (inputs.bias) add(TensorName::bias, without_repeats(problem, *inputs.bias), frame);
  if (inputs.sink) add(TensorName::sink, *inputs.sink, frame);
  if (problem.score.has("alibi")) add_slopes(s, frame);
  add_lengths("query_lengths", problem.query_lengths, frame);
  add_lengths("key_lengths", problem.lengths, frame);
  add_wants(problem, {TensorName::out, TensorName::log_sum_exp, TensorName::max_logits}, frame);
  return frame;
}

Frame backward_request(const Problem& problem, const KernelInputs& inputs, const ConstView& out,
                       const ConstView& log_sum_exp, const ConstView& dout) {
  Frame frame = forward_request(problem, inputs);
  frame.texts["call"] = "backward";
  add(TensorName::out, out, frame);
  if (inputs.log_sum_exp_is_read) add(TensorName::log_sum_exp, log_sum_exp, frame);
  add(TensorName::dout, dout, frame);
  add_wants(problem, {TensorName::dquery, TensorName::dkey, TensorName::dvalue, TensorName::dbias, TensorName::dsink},
            frame);
  return frame;
}

}  // namespace attestone::inline backends
