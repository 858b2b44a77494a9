// SPDX-License-Identifier: Apache-2.0
// Choices for single tensors of a problem: the format of each, its place, and whether it is asked for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/dtypes/dtype.hpp"
#include "reference/tensor/layout.hpp"

namespace attestone {

/// How the numbers of a tensor are stored: in a dtype, and with a granularity each times the scale of its block.
struct Format {
  DType dtype;
  /// The group that shares one scale: "tensor", "head", "token" (a row), "channel" (of all rows), or so many channels
  /// of a row, as in "16"; empty: there are no scales.
  std::string granularity = {};

  /// "int8:token"
  std::string text() const;
  bool operator==(const Format&) const = default;
};

/// The granularities that are words, with their meanings.
struct Granularity {
  std::string_view name, meaning;
};
std::span<const Granularity> granularities();

/// A tensor that lies otherwise than the rest: "dout/transposed".
struct TensorLayout {
  TensorName tensor;
  std::string layout;
  std::vector<index> arguments;

  bool operator==(const TensorLayout&) const = default;
};

/// The tensors that layouts place: query, key, value, out, and their gradients. The others are packed.
std::vector<TensorName> placed_tensors();

/// The answers of a kernel: out, log_sum_exp, dquery, ..., max_logits.
std::vector<TensorName> answers();

/// Their names.
std::vector<std::string> names_of(std::span<const TensorName>);
/// The tensor of that name, if it is one of them.
std::optional<TensorName> find_tensor(std::span<const TensorName>, std::string_view name);

}  // namespace attestone
