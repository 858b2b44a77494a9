// SPDX-License-Identifier: Apache-2.0
// Placing tensors between pages, copying them there and back.
#include "backends/plugins/shared_library/call_plan.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <xxhash.h>

#include "backends/plugins/protocol/call_facts.hpp"
#include "backends/plugins/protocol/kernel.h"
#include "reference/scores/alibi.hpp"
#include "reference/tensor/scales.hpp"

namespace attestone::inline backends {
namespace {

constexpr auto canary = static_cast<std::byte>(wire::canary);

std::int64_t round_up(std::int64_t bytes, std::int64_t to) { return (bytes + to - 1) / to * to; }

/// From the first to the last byte that belongs to an element.
std::size_t stretch_bytes(const ConstView& view) {
  const Extents extents = view.row_map().in_memory(view.extents());
  if (element_count(extents) == 0) return 0;
  index last = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) last += (extents[axis] - 1) * view.strides()[axis];
  return static_cast<std::size_t>(view.dtype().bytes(last + 1));
}

std::vector<std::int32_t> narrowed(const std::vector<index>& numbers) { return {numbers.begin(), numbers.end()}; }

}  // namespace

CallPlan::CallPlan(const Problem& problem, const Arguments& arguments, wire::Request request, index workspace_bytes,
                   int place)
    : call_(call_facts(problem, request)), with_data_(request != wire::Request::workspace) {
  call_.place = place;
  add_inputs(problem, arguments);
  output(TensorName::out, arguments.out);
  output(TensorName::log_sum_exp, arguments.log_sum_exp);
  if (arguments.max_logits) output(TensorName::max_logits, *arguments.max_logits);
  make_files(problem, workspace_bytes);
}

CallPlan::CallPlan(const Problem& problem, const BackwardArguments& arguments, wire::Request request,
                   index workspace_bytes, int place)
    : call_(call_facts(problem, request)), with_data_(request != wire::Request::workspace) {
  call_.place = place;
  call_.backward = 1;
  add_inputs(problem, arguments);
  input(TensorName::out, arguments.out);
  input(TensorName::log_sum_exp, arguments.log_sum_exp);
  input(TensorName::dout, arguments.dout);
  output(TensorName::dquery, arguments.dquery);
  output(TensorName::dkey, arguments.dkey);
  output(TensorName::dvalue, arguments.dvalue);
  if (arguments.dbias) output(TensorName::dbias, *arguments.dbias);
  if (arguments.dsink) output(TensorName::dsink, *arguments.dsink);
  make_files(problem, workspace_bytes);
}

void CallPlan::add_inputs(const Problem& problem, const KernelInputs& inputs) {
  const Shape& s = problem.shape;
  input(TensorName::query, inputs.query);
  input(TensorName::key, inputs.key);
  input(TensorName::value, inputs.value);
  if (inputs.bias) input(TensorName::bias, *inputs.bias);
  if (inputs.sink) input(TensorName::sink, *inputs.sink);
  if (inputs.mask) {
    auto& bytes = kept_.emplace_back();
    for (index b = 0; b < s.batch; ++b)
      for (index h = 0; h < s.heads; ++h)
        for (index i = 0; i < s.queries; ++i) {
          const auto row = std::as_bytes(inputs.mask->row(b, h, i));
          bytes.insert(bytes.end(), row.begin(), row.end());
        }
    const Extents extents{s.batch, s.heads, s.queries, s.keys};
    wire::TensorPlace& tensor = call_.tensor(TensorName::mask);
    std::ranges::copy(extents, tensor.shape);
    std::ranges::copy(packed_strides(extents), tensor.strides);
    tensor.dimensions = 4, tensor.code = ATTESTONE_UINT, tensor.bits = 8;
    place("mask", tensor.region, bytes.size(), wire::inputs, bytes.data(), nullptr);
  }
  if (problem.score.has("alibi")) {
    auto& bytes = kept_.emplace_back(static_cast<std::size_t>(s.heads) * sizeof(float));
    for (index h = 0; h < s.heads; ++h) {
      const auto slope = static_cast<float>(alibi_slope(h, s.heads));
      std::memcpy(bytes.data() + static_cast<std::size_t>(h) * sizeof slope, &slope, sizeof slope);
    }
    describe(TensorName::alibi_slopes, ConstView(bytes.data(), dtype("f32"), {1, s.heads, 1, 1}, {1, 1, 1, 1}));
    place("alibi_slopes", call_.tensor(TensorName::alibi_slopes).region, bytes.size(), wire::inputs, bytes.data(),
          nullptr);
  }
  if (const RowStarts* starts = inputs.query.row_map().starts()) numbers(TensorName::query_starts, narrowed(*starts));
  if (const RowStarts* starts = inputs.key.row_map().starts()) numbers(TensorName::key_starts, narrowed(*starts));
  if (!problem.query_lengths.empty()) numbers(TensorName::query_lengths, narrowed(problem.query_lengths));
  if (!problem.lengths.empty()) numbers(TensorName::key_lengths, narrowed(problem.lengths));
  add_pages(inputs);
  add_scales(TensorName::query_scales, inputs.query);
  add_scales(TensorName::key_scales, inputs.key);
  add_scales(TensorName::value_scales, inputs.value);
}

void CallPlan::add_pages(const KernelInputs& inputs) {
  const Pages *pages = inputs.key.row_map().pages(), *of_value = inputs.value.row_map().pages();
  require(!pages == !of_value && (!pages || *pages == *of_value), "key and value lie in the same pages");
  require(!inputs.query.row_map().pages(), "queries do not lie in pages");
  if (!pages) return;
  call_.rows_per_page = pages->rows_per_page;
  numbers(TensorName::block_table, pages->table);
  wire::TensorPlace& table = call_.tensor(TensorName::block_table);
  table.dimensions = 2;
  table.shape[0] = inputs.key.extents()[0], table.strides[0] = pages->pages_per_sequence;
  table.shape[1] = pages->pages_per_sequence, table.strides[1] = 1;
}

void CallPlan::add_scales(TensorName name, const ConstView& scaled) {
  const Scales* scales = scaled.scales();
  if (!scales) return;
  std::ranges::copy(
      scales->block,
      call_.scale_blocks[static_cast<std::size_t>(name) - static_cast<std::size_t>(TensorName::query_scales)]);
  input(name, scales->numbers.view());
}

void CallPlan::describe(TensorName name, const ConstView& view) {
  wire::TensorPlace& tensor = call_.tensor(name);
  const auto [first, dimensions] = call_tensor(name).shown;
  const Extents extents = view.row_map().in_memory(view.extents());
  std::copy_n(extents.begin() + first, dimensions, tensor.shape);
  std::copy_n(view.strides().begin() + first, dimensions, tensor.strides);
  tensor.dimensions = dimensions;
  tensor.code = static_cast<std::uint8_t>(*view.dtype().exchange.dlpack_code);
  tensor.bits = static_cast<std::uint8_t>(view.dtype().storage_bits());
}

void CallPlan::input(TensorName name, const ConstView& view) {
  describe(name, view);
  place(name, view, wire::inputs, nullptr);
}

void CallPlan::output(TensorName name, const View& view) {
  if (!view.exists()) return;
  describe(name, view);
  place(name, view, wire::outputs, view.data());
}

void CallPlan::numbers(TensorName name, const std::vector<std::int32_t>& all) {
  const auto bytes = std::as_bytes(std::span(all));
  kept_.emplace_back(bytes.begin(), bytes.end());
  wire::TensorPlace& tensor = call_.tensor(name);
  tensor.shape[0] = std::ssize(all), tensor.strides[0] = 1;
  tensor.dimensions = 1, tensor.code = ATTESTONE_INT, tensor.bits = 32;
  place(std::string(text(name)), tensor.region, bytes.size(), wire::inputs, kept_.back().data(), nullptr);
}

void CallPlan::place(std::string name, wire::Region& region, std::size_t bytes, wire::File file, const std::byte* from,
                     std::byte* to) {
  if (!with_data_) return;
  std::int64_t& end = call_.file_bytes[file];
  region.file = file;
  region.present = 1;
  region.bytes = static_cast<std::int64_t>(bytes);
  region.first_page = end + wire::page;
  region.pages_bytes = std::max(round_up(region.bytes, wire::page), wire::page);
  const index before = call_.place == 0 ? region.pages_bytes - round_up(region.bytes, wire::alignment) : 0;
  region.begin = region.first_page + before;
  end = region.first_page + region.pages_bytes;
  stretches_.push_back({std::move(name), &region, from, to});
}

void CallPlan::place(TensorName name, const ConstView& view, wire::File file, std::byte* to) {
  const std::size_t bytes = stretch_bytes(view);
  place(std::string(text(name)), call_.tensor(name).region, bytes, file, view.data(), to);
  const Extents in_memory = view.row_map().in_memory(view.extents());
  if (!with_data_ || !lies_far_apart(in_memory, view.strides(), bytes)) return;
  Stretch& stretch = stretches_.back();
  stretch.elements =
      element_stretches(view.row_map().of_sequences(view.extents()), view.strides(), view.dtype().storage_bits());
  const wire::Region& region = *stretch.region;
  const auto before = static_cast<std::size_t>(region.begin - region.first_page);
  std::vector<ByteStretch> elements = stretch.elements;
  for (ByteStretch& element : elements) element.begin += before, element.end += before;
  const ByteStretch ends[] = {{0, before}, {before + bytes, static_cast<std::size_t>(region.pages_bytes)}};
  stretch.gaps.emplace(std::move(elements), ends);
}

std::vector<ByteStretch> CallPlan::Stretch::copied() const {
  if (is_sparse()) return elements;
  return {{0, static_cast<std::size_t>(region->bytes)}};
}

std::vector<SharedFile::Part> CallPlan::Stretch::parts() const {
  if (!is_sparse()) return {{region->first_page, region->pages_bytes}};
  std::vector<SharedFile::Part> all;
  for (const auto& [begin, end] : gaps->pages())
    all.push_back({region->first_page + static_cast<index>(begin), static_cast<index>(end - begin)});
  return all;
}

void CallPlan::make_files(const Problem& problem, index workspace_bytes) {
  problem_text_ = problem.text();
  if (workspace_bytes > 0)
    place("workspace", call_.workspace_memory, static_cast<std::size_t>(workspace_bytes), wire::workspace, nullptr,
          nullptr);
  const bool with_tensors = std::exchange(with_data_, true);
  const auto* text = reinterpret_cast<const std::byte*>(problem_text_.c_str());
  place("problem", call_.problem_text, problem_text_.size() + 1, wire::inputs, text, nullptr);
  with_data_ = with_tensors;
  for (std::int64_t& bytes : call_.file_bytes) bytes += wire::page;  // behind the last tensor
  for (const wire::File file : {wire::inputs, wire::outputs}) {
    std::vector<SharedFile::Part> parts;
    for (const Stretch& stretch : stretches_)
      if (stretch.region->file == file) std::ranges::copy(stretch.parts(), std::back_inserter(parts));
    files_[file] = std::make_unique<SharedFile>(call_.file_bytes[file], parts);
  }
  for (const Stretch& stretch : stretches_) {
    const wire::Region& region = *stretch.region;
    if (region.file == wire::workspace) continue;
    std::byte* const file = files_[region.file]->bytes().data();
    for (const SharedFile::Part& part : stretch.parts()) std::fill_n(file + part.first, part.bytes, canary);
    for (const auto& [begin, end] : stretch.copied())
      std::copy_n(stretch.from + begin, end - begin, file + region.begin + begin);
  }
  files_[wire::inputs]->seal(true);
  files_[wire::outputs]->seal(false);
}

std::uint64_t CallPlan::digest() const {
  auto digest = static_cast<std::uint64_t>(call_.request);
  for (const Stretch& stretch : stretches_)
    if (stretch.from && !stretch.to)
      for (const auto& [begin, end] : stretch.copied())
        digest = XXH3_64bits_withSeed(stretch.from + begin, end - begin, digest);
  return digest;
}

std::string CallPlan::scribbled() const {
  for (const Stretch& stretch : stretches_) {
    const wire::Region& region = *stretch.region;
    if (region.file != wire::outputs) continue;
    if (!intact(stretch)) return stretch.name;
  }
  return {};
}

bool CallPlan::intact(const Stretch& stretch) const {
  const wire::Region& region = *stretch.region;
  const SharedFile& file = *files_[region.file];
  const std::byte* const pages = file.bytes().data() + region.first_page;
  const auto unchanged = [&](std::size_t from, std::size_t to) {
    return std::all_of(pages + from, pages + to, [](std::byte byte) { return byte == canary; });
  };
  const auto first = static_cast<std::size_t>(region.first_page), all = static_cast<std::size_t>(region.pages_bytes);
  if (!stretch.is_sparse()) {
    const auto begin = static_cast<std::size_t>(region.begin - region.first_page);
    return unchanged(0, begin) && unchanged(begin + static_cast<std::size_t>(region.bytes), all);
  }
  std::vector<ByteStretch> touched = touched_stretches(file.descriptor(), first, first + all);
  for (ByteStretch& there : touched) there.begin -= first, there.end -= first;
  return stretch.gaps->for_each_guarded(unchanged) && stretch.gaps->nothing_elsewhere(pages, touched);
}

std::uint64_t CallPlan::digest_of_answers() const {
  std::uint64_t digest = 0;
  for (const Stretch& stretch : stretches_)
    if (stretch.to)
      for (const auto& [begin, end] : stretch.copied())
        digest = XXH3_64bits_withSeed(outputs().bytes().data() + stretch.region->begin + begin, end - begin, digest);
  return digest;
}

void CallPlan::read_back() const {
  for (const Stretch& stretch : stretches_)
    if (stretch.to)
      for (const auto& [begin, end] : stretch.copied())
        std::copy_n(outputs().bytes().data() + stretch.region->begin + begin, end - begin, stretch.to + begin);
}

std::optional<PlacedAddress> CallPlan::locate(index offset) const {
  index at[wire::file_count] = {}, all_bytes = 0;
  for (int file = 0; file < wire::file_count; ++file) {
    at[file] = all_bytes;
    all_bytes += call_.file_bytes[file];
  }
  if (offset < 0 || offset >= all_bytes) return std::nullopt;
  std::optional<PlacedAddress> nearest;
  for (const Stretch& stretch : stretches_) {
    const wire::Region& region = *stretch.region;
    const index begin = region.begin + at[region.file], end = begin + region.bytes;
    PlacedAddress here{stretch.name, offset >= begin && offset < end, region.file == wire::inputs, 0};
    if (!here.inside) here.distance = offset < begin ? offset - begin : offset - end;
    if (!nearest || std::abs(here.distance) < std::abs(nearest->distance)) nearest = here;
  }
  return nearest;
}

}  // namespace attestone::inline backends
