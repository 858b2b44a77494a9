// SPDX-License-Identifier: Apache-2.0
// Reads, prints and checks layouts: one for all tensors, and others for some of them.
#include <algorithm>
#include <fmt/format.h>

#include "reference/problem/problem_fields.hpp"
#include "reference/problem/to_come.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const LayoutToCome* to_come(std::string_view name) {
  for (const LayoutToCome& layout : layouts_to_come())
    if (layout.name == name) return &layout;
  return nullptr;
}

/// A name with its arguments, of which there are as many as the layout takes.
void read_layout(Scanner& in, std::string& layout, std::vector<index>& arguments) {
  const std::size_t begin = in.position();
  layout = in.word("a layout");
  const LayoutToCome* later = to_come(layout);
  if (!later && !Registry<Layout>::find(layout)) {
    std::vector<std::string> known = Registry<Layout>::names();
    for (const LayoutToCome& other : layouts_to_come()) known.emplace_back(other.name);
    in.fail(begin, "unknown layout '" + layout + "'", did_you_mean(layout, known));
  }
  for (int i = 0; i < (later ? later->argument_count : 0); ++i) {
    if (!in.take(':'))
      in.fail(begin, "layout '" + layout + "' needs its arguments",
              fmt::format("write {}:{}", layout, later->arguments));
    arguments.push_back(in.integer("the argument of the layout", 1));
  }
}

std::string printed(const std::string& layout, const std::vector<index>& arguments) {
  std::string all = layout;
  for (const index argument : arguments) all += fmt::format(":{}", argument);
  return all;
}

TensorLayout read_tensor_layout(Scanner& in, const Problem& problem) {
  const std::size_t begin = in.position();
  const std::string name = in.word("a tensor, as in dout/transposed");
  const std::vector<TensorName> known = placed_tensors();
  const auto tensor = find_tensor(known, name);
  if (!tensor) in.fail(begin, "no layout places a tensor '" + name + "'", did_you_mean(name, names_of(known)));
  if (std::ranges::count(problem.tensor_layouts, *tensor, &TensorLayout::tensor) > 0)
    in.fail(begin, "the layout of '" + name + "' is given twice");
  TensorLayout own{*tensor, {}, {}};
  in.expect('/', "between a tensor and its layout");
  read_layout(in, own.layout, own.arguments);
  return own;
}

Conflict tensor_layout_conflict(const TensorLayout& own) {
  const Layout* layout = Registry<Layout>::find(own.layout);
  if (!layout) return {};
  if (layout->together || layout->ragged)
    return {fmt::format("'{}' is a layout of all tensors together", own.layout),
            fmt::format("write layout={}", own.layout)};
  const bool is_shared = own.tensor == TensorName::key || own.tensor == TensorName::value;
  if (layout->shares_places && !is_shared)
    return {fmt::format("elements of {} share no place, as '{}' would have it", text(own.tensor), own.layout)};
  return {};
}

/// Not every shape has every layout.
Conflict shape_of_layout_conflict(const std::string& name, const Shape& shape) {
  const Layout* layout = Registry<Layout>::find(name);
  if (!layout || layout->takes(shape)) return {};
  std::string others;
  for (const auto& [other_name, other] : Registry<Layout>::all())
    if (!other.fits) others += " " + other_name;
  return {fmt::format("layout '{}' needs {}", name, layout->needs), "layouts of every shape:" + others};
}

}  // namespace

void read_layouts(Scanner& in, Problem& problem) {
  read_layout(in, problem.layout, problem.layout_arguments);
  while (in.take('+')) problem.tensor_layouts.push_back(read_tensor_layout(in, problem));
  std::ranges::sort(problem.tensor_layouts, {}, &TensorLayout::tensor);
}

std::string print_layouts(const Problem& problem) {
  std::string all = printed(problem.layout, problem.layout_arguments);
  for (const TensorLayout& own : problem.tensor_layouts)
    all += fmt::format("+{}/{}", text(own.tensor), printed(own.layout, own.arguments));
  return all == "bhsd" ? std::string() : all;
}

Conflict layout_conflict(const Problem& problem) {
  for (const TensorLayout& own : problem.tensor_layouts)
    if (const Conflict conflict = tensor_layout_conflict(own); !conflict.empty()) return conflict;
  const Layout* layout = Registry<Layout>::find(problem.layout);
  if (layout && layout->ragged && !problem.tensor_layouts.empty())
    return {fmt::format("in the layout '{}' all tensors lie alike", layout->name)};
  std::vector<std::string> names{problem.layout};
  for (const TensorLayout& own : problem.tensor_layouts) names.push_back(own.layout);
  for (const std::string& name : names)
    if (const Conflict conflict = shape_of_layout_conflict(name, problem.shape); !conflict.empty()) return conflict;
  return {};
}

}  // namespace attestone
