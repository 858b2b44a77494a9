// SPDX-License-Identifier: Apache-2.0
// Looking for a circle, depth first.
#include "tests/layers/rooms.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace attestone {
namespace {

/// Walks along includes from room to room.
class Walk {
 public:
  explicit Walk(const std::vector<Include>& includes) {
    for (const Include& include : includes)
      if (include.file.parent_path() != include.included.parent_path())
        leaving_[include.file.parent_path()].push_back(include);
  }

  std::vector<Include> circle() {
    for (const auto& [room, includes] : leaving_)
      if (std::vector<Include> found = circle_through(room); !found.empty()) return found;
    return {};
  }

 private:
  /// The circle that is met by going on from this room, to which `way_` has led.
  std::vector<Include> circle_through(const Path& room) {
    if (done_.count(room)) return {};
    const auto left_before =
        std::ranges::find_if(way_, [&](const Include& step) { return step.file.parent_path() == room; });
    if (left_before != way_.end()) return {left_before, way_.end()};
    for (const Include& include : leaving_[room]) {
      way_.push_back(include);
      if (std::vector<Include> found = circle_through(include.included.parent_path()); !found.empty()) return found;
      way_.pop_back();
    }
    done_.insert(room);
    return {};
  }

  std::map<Path, std::vector<Include>> leaving_;
  std::vector<Include> way_;
  std::set<Path> done_;  ///< rooms from which no circle is met
};

}  // namespace

std::vector<Include> includes_between_rooms(const std::vector<Source>& sources) {
  std::vector<Include> all;
  for (const Source& source : sources)
    for (const Path& included : source.includes)
      if (source.in_a_layer() && rank(included) < layers.size() && source.file.parent_path() != included.parent_path())
        all.push_back({source.file, included});
  return all;
}

std::vector<Include> circle_of_rooms(const std::vector<Include>& includes) { return Walk(includes).circle(); }

std::string text(const std::vector<Include>& includes) {
  std::string all;
  for (const auto& [file, included] : includes)
    all += fmt::format("{}{} includes {}", all.empty() ? "" : ", ", file.string(), included.string());
  return all;
}

}  // namespace attestone
