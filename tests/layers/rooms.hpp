// SPDX-License-Identifier: Apache-2.0
// Rooms: the folders of a layer, however deep. What includes whom has no circle among them.
#pragma once

#include <string>
#include <vector>

#include "tests/layers/sources.hpp"

namespace attestone {

/// A file, and one that it includes.
struct Include {
  Path file, included;
};

/// Every include from one room of a layer to another room of a layer.
std::vector<Include> includes_between_rooms(const std::vector<Source>&);

/// Includes that lead from a room through others back to itself; empty if there are none.
std::vector<Include> circle_of_rooms(const std::vector<Include>&);

/// "a/x.hpp includes b/y.hpp, b/z.hpp includes a/w.hpp".
std::string text(const std::vector<Include>&);

}  // namespace attestone
