// SPDX-License-Identifier: Apache-2.0
// Real input: query, key and value that a model fed to its attention, from a safetensors file.
#include <fmt/format.h>
#include <memory>

#include "conformance/fill.hpp"
#include "reference/registry.hpp"
#include "reference/safetensors.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

/// One tensor of a capture, [batch, heads, rows, channels], of which a problem reads the first of everything.
class Captured {
 public:
  Captured(const Safetensors& file, const std::string& name, const Extents& wanted) : tensor_(file.tensor(name)) {
    if (!tensor_.dtype() || tensor_.dtype()->needs_scales || tensor_.shape.size() != 4)
      throw UserError(fmt::format("{}: '{}' is no tensor of numbers with four axes", file.name(), name));
    for (std::size_t axis = 0; axis < 4; ++axis) {
      extents_[axis] = tensor_.shape[axis];
      if (wanted[axis] > extents_[axis])
        throw UserError(fmt::format("{}: '{}' has {} {}, the problem wants {}", file.name(), name, extents_[axis],
                                    axis_names[axis], wanted[axis]),
                        "a problem may be smaller than its capture, not larger");
    }
  }

  double value(const Element& at) const {
    const index number = ((at.batch * extents_[1] + at.head) * extents_[2] + at.row) * extents_[3] + at.channel;
    return tensor_.dtype()->decode(read_code(tensor_.bytes.data(), number, tensor_.dtype()->storage_bits()));
  }

 private:
  static constexpr const char* axis_names[] = {"batches", "heads", "rows", "channels"};
  StoredTensor tensor_;
  Extents extents_{};
};

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
  const auto query =
      std::make_shared<const Captured>(*file, layer + ".query", Extents{s.batch, s.heads, s.queries, s.dim});
  const auto key = std::make_shared<const Captured>(*file, layer + ".key", Extents{s.batch, s.kv_heads, s.keys, s.dim});
  const auto value =
      std::make_shared<const Captured>(*file, layer + ".value", Extents{s.batch, s.kv_heads, s.keys, s.value_dim});
  return [file, query, key, value](const Element& at) {
    return (at.role == Role::query ? *query : at.role == Role::key ? *key : *value).value(at);
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
}  // namespace attestone
