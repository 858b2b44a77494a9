// SPDX-License-Identifier: Apache-2.0
// Pictures as SVG: lines, circles and words, readable on light and on dark pages.
#pragma once

#include <string>
#include <string_view>

namespace attestone::inline conformance {

/// The text with what XML would take for markup escaped, and without what XML does not allow.
std::string xml_text(std::string_view);

/// Collects elements; classes name colours, which differ on light and dark pages.
class Svg {
 public:
  Svg(int width, int height, const std::string& title);

  void line(double x1, double y1, double x2, double y2, std::string_view css_class);
  /// With words that appear where a pointer rests on it.
  void circle(double x, double y, double radius, std::string_view css_class, const std::string& says);
  /// `anchor` is start, middle or end.
  void words(double x, double y, const std::string& what, std::string_view anchor, std::string_view css_class = "",
             double degrees = 0);

  std::string text() const;
  /// How many colours there are for points: classes c0, c1, ...
  static constexpr int colours = 10;

 private:
  std::string elements_;
};

}  // namespace attestone::inline conformance
