// SPDX-License-Identifier: Apache-2.0
// Real input: query, key and value that a model fed to its attention, from a safetensors file.
#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "conformance/problems/fill.hpp"
#include "reference/files/safetensors.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

constexpr const char* axis_names[] = {"batches", "heads", "rows", "channels"};

/// One tensor of a capture, [batch, heads, rows, channels], of which a problem reads the first of everything. Its bytes
/// belong to the file.
ConstView captured(const Safetensors& file, const std::string& name, const Extents& wanted) {
  const StoredTensor& tensor = file.tensor(name);
  const DType* dtype = tensor.dtype();
  if (!dtype || dtype->needs_scales || tensor.shape.size() != wanted.size())
    throw UserError(fmt::format("{}: '{}' is no tensor of numbers with four axes", file.name(), name));
  Extents extents{};
  std::ranges::copy(tensor.shape, extents.begin());
  for (std::size_t axis = 0; axis < wanted.size(); ++axis)
    if (wanted[axis] > extents[axis])
      throw UserError(fmt::format("{}: '{}' has {} {}, the problem wants {}", file.name(), name, extents[axis],
                                  axis_names[axis], wanted[axis]),
                      "a problem may be smaller than its capture, not larger");
  return {tensor.bytes.data(), *dtype, extents, packed_strides(extents)};
}

/// The file of the problem, checked against the digest that the problem names.
Safetensors capture_of(const Problem& problem) {
  const std::string &path = problem.fill.arguments[0], &digest = problem.fill.arguments[2];
  Safetensors file = read_safetensors(path);
  if (file.digest() != digest)
    throw UserError(fmt::format("{} has the digest {}, the problem names {}", path, file.digest(), digest),
                    "the file is not the one that the problem was made from");
  return file;
}

ElementSource source(const Problem& problem) {
  const auto file = std::make_shared<const Safetensors>(capture_of(problem));
  const std::string& layer = problem.fill.arguments[1];
  const Shape& s = problem.shape;
  const ConstView query = captured(*file, layer + ".query", {s.batch, s.heads, s.queries, s.dim});
  const ConstView key = captured(*file, layer + ".key", {s.batch, s.kv_heads, s.keys, s.dim});
  const ConstView value = captured(*file, layer + ".value", {s.batch, s.kv_heads, s.keys, s.value_dim});
  return [file, query, key, value](const Element& at) {
    const ConstView& tensor = at.tensor == TensorName::query ? query : at.tensor == TensorName::key ? key : value;
    return tensor.value(at.batch, at.head, at.row, at.channel);
  };
}

const Registration<Fill> registered{{
    .name = "capture",
    .aim = "what real models do: outliers, correlated keys, sinks",
    .arguments = "FILE:LAYER:DIGEST",
    .argument_count = 3,
    .source = source,
}};

}  // namespace
}  // namespace attestone::inline conformance
