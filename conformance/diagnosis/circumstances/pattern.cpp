// SPDX-License-Identifier: Apache-2.0
// Sets of places along each axis, compared with where the elements beyond their bound lie.
#include "conformance/diagnosis/circumstances/pattern.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

#include "conformance/diagnosis/circumstances/places.hpp"

namespace attestone::inline conformance {
namespace {

using Places = std::set<index>;

/// The tensors of an answer that hold an element beyond its bound, and those that were judged.
std::vector<std::string> wrong_tensors(const WrongAnswer& answer) {
  std::vector<std::string> wrong;
  for (const ErrorField& field : answer.errors)
    if (std::ranges::any_of(field.r_det(), [](double share) { return share > 1; })) wrong.emplace_back(field.tensor());
  return wrong;
}

const ErrorField& field_of(const WrongAnswer& answer, std::string_view tensor) {
  return *std::ranges::find(answer.errors, tensor, &ErrorField::tensor);
}

/// The places along the axis that were judged, and those with an element beyond its bound.
std::pair<Places, Places> places_along(const ErrorField& field, int axis) {
  const auto& [batches, heads, rows, channels] = field.extents();
  Places judged, wrong;
  std::size_t element = 0;
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c, ++element) {
          const std::array<index, 4> at{b, h, field.rows()[static_cast<std::size_t>(r)], c};
          const double share = field.r_det()[element];
          if (share >= 0) judged.insert(at[static_cast<std::size_t>(axis)]);
          if (share > 1) wrong.insert(at[static_cast<std::size_t>(axis)]);
        }
  return {judged, wrong};
}

/// True if the set of the pattern is that of the wrong places, which are not all of them.
bool describes(const PlacePattern& pattern, const Problem& problem, const Places& judged, const Places& wrong) {
  return std::ranges::all_of(
      judged, [&](index place) { return pattern.holds(problem, place) == static_cast<bool>(wrong.count(place)); });
}

/// The words for one tensor along one axis; nothing where every place is wrong in every answer, or no words fit all.
std::string along_axis(const std::vector<WrongAnswer>& answers, std::string_view tensor, int axis) {
  std::vector<std::pair<Places, Places>> seen;
  for (const WrongAnswer& answer : answers) seen.push_back(places_along(field_of(answer, tensor), axis));
  if (std::ranges::all_of(seen, [](const auto& places) { return places.first == places.second; })) return {};
  for (const PlacePattern& pattern :
       place_patterns(field_of(answers.front(), tensor).axes()[static_cast<std::size_t>(axis)])) {
    bool fits = true;
    for (std::size_t n = 0; n < answers.size() && fits; ++n)
      fits = describes(pattern, answers[n].problem, seen[n].first, seen[n].second);
    if (fits) return pattern.says;
  }
  return {};
}

}  // namespace

std::string common_pattern(const std::vector<WrongAnswer>& answers) {
  if (answers.size() < 2) return {};
  const std::vector<std::string> tensors = wrong_tensors(answers.front());
  for (const WrongAnswer& answer : answers)
    if (wrong_tensors(answer) != tensors) return {};
  if (tensors.empty()) return {};
  // If all answers have the same extents, any numbers would do for words.
  const bool of_one_shape = std::ranges::all_of(
      answers, [&](const WrongAnswer& answer) { return answer.problem.shape == answers.front().problem.shape; });
  std::map<std::string, std::vector<std::string>> tensors_by_place;
  for (const std::string& tensor : tensors) {
    std::vector<std::string> parts;
    for (int axis = 0; axis < 4 && !of_one_shape; ++axis)
      if (std::string part = along_axis(answers, tensor, axis); !part.empty()) parts.push_back(std::move(part));
    tensors_by_place[fmt::format("{}", fmt::join(parts, ", "))].push_back(tensor);
  }
  const std::size_t judged =
      static_cast<std::size_t>(std::ranges::count_if(answers.front().errors, [](const ErrorField& f) {
        return std::ranges::any_of(f.r_det(), [](double share) { return share >= 0; });
      }));
  std::vector<std::string> says;
  for (const auto& [place, of] : tensors_by_place) {
    const std::string names = fmt::format("{}", fmt::join(of, ", "));
    if (!place.empty())
      says.push_back(fmt::format("{}{}: {}", names, tensors.size() < judged && of == tensors ? " alone" : "", place));
    else if (tensors.size() < judged)
      says.push_back(names + (of == tensors ? " alone" : ""));
  }
  return fmt::format("{}", fmt::join(says, "; "));
}

}  // namespace attestone::inline conformance
