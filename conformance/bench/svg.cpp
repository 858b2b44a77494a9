// SPDX-License-Identifier: Apache-2.0
// Writing elements, and the two sheets of colours.
#include "conformance/bench/svg.hpp"

#include <array>
#include <fmt/format.h>

#include "reference/printable.hpp"

namespace attestone::inline conformance {
namespace {

/// For light and for dark pages: told apart by people who see few colours as well, as far as ten can be.
constexpr std::array<std::array<const char*, Svg::colours>, 2> sheets{
    {{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#9a6700", "#56b4e9", "#8250df", "#6e7781", "#cf222e", "#1a7f37"},
     {"#58a6ff", "#ff9e64", "#3fb950", "#f0a3cc", "#e3b341", "#9ecbff", "#bc8cff", "#9da7b3", "#ff7b72", "#7ee787"}}};

std::string colour_rules(const std::array<const char*, Svg::colours>& sheet) {
  std::string rules;
  for (std::size_t i = 0; i < sheet.size(); ++i) rules += fmt::format(".c{0}{{fill:{1};stroke:{1}}} ", i, sheet[i]);
  return rules;
}

std::string style() {
  return fmt::format(
      "svg{{background:#fff;font:12px system-ui,sans-serif}} text{{fill:#24292f;stroke:none}} .quiet{{fill:#6e7781}} "
      ".head{{font-weight:600}} .grid{{stroke:#eef1f4}} .roof{{stroke:#24292f;stroke-width:1.5;fill:none}} "
      ".low{{stroke-dasharray:4 3}} .hollow{{fill-opacity:0;stroke-width:1.5}} {}"
      "@media (prefers-color-scheme:dark){{svg{{background:#0d1117}} text{{fill:#e6edf3}} .quiet{{fill:#9da7b3}} "
      ".grid{{stroke:#21262d}} .roof{{stroke:#e6edf3}} {}}}",
      colour_rules(sheets[0]), colour_rules(sheets[1]));
}

}  // namespace

std::string xml_text(std::string_view raw) {
  std::string all;
  for (const char c : printable(raw)) switch (c) {
      case '<':
        all += "&lt;";
        break;
      case '>':
        all += "&gt;";
        break;
      case '&':
        all += "&amp;";
        break;
      case '"':
        all += "&quot;";
        break;
      default:
        all += c;
    }
  return all;
}

Svg::Svg(int width, int height, const std::string& title) {
  elements_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n"
      "<title>{2}</title>\n<style>{3}</style>\n",
      width, height, xml_text(title), style());
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  elements_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2,
                           y2, css_class);
}

void Svg::circle(double x, double y, double radius, std::string_view css_class, const std::string& says) {
  elements_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"{}\"><title>{}</title></circle>\n",
                           x, y, radius, css_class, xml_text(says));
}

void Svg::words(double x, double y, const std::string& what, std::string_view anchor, std::string_view css_class,
                double degrees) {
  const std::string turned =
      degrees == 0 ? "" : fmt::format(" transform=\"rotate({:.1f} {:.1f} {:.1f})\"", degrees, x, y);
  elements_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\"{}>{}</text>\n", x, y,
                           anchor, css_class, turned, xml_text(what));
}

std::string Svg::text() const { return elements_ + "</svg>\n"; }

}  // namespace attestone::inline conformance
