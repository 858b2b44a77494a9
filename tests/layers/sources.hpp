// SPDX-License-Identifier: Apache-2.0
// The sources of a tree: which files there are, to which layer each belongs, and what it includes.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace attestone {

using Path = std::filesystem::path;

/// From left to right: a file includes its own layer and what stands to the left.
inline constexpr std::array<std::string_view, 5> layers{"reference", "backends", "simulate", "mutants", "conformance"};
/// These may use everything.
inline constexpr std::array<std::string_view, 5> users{"tests", "docs", "python", "benchmarks", "examples"};

/// The number of a path's layer; layers.size() for what may use everything, one more for a path that is neither (a
/// library's).
std::size_t rank(const Path&);

/// A file of a layer or a user.
struct Source {
  Path file;  ///< relative to the root of the tree
  std::vector<std::string> lines;
  std::vector<Path> includes;  ///< those in quotes

  bool in_a_layer() const { return rank(file) < layers.size(); }
};

/// Every source of the tree, in order.
std::vector<Source> sources(const Path& root);

}  // namespace attestone
