// SPDX-License-Identifier: Apache-2.0
// The kill matrix as a picture: a row for each mutant, a column for each judge, a filled cell where one convicts the
// other.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <ostream>

#include "conformance/rival_rules/formats/matrix_format.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// All lengths in pixels.
constexpr index left = 248, top = 132, column = 46, row = 15, gap = 18, cell = 34, half = 17, cell_height = 11;

constexpr std::string_view opening =
    R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}">
<title>Which planted bugs each judge catches</title>
<style>
  svg {{ background: #fff; font: 11px system-ui, sans-serif; fill: #24292f }}
  .ours {{ fill: #0b7285 }} .kill {{ fill: #2f6690 }} .none {{ fill: #eef1f4 }} .twin {{ fill: url(#stripes) }}
  .quiet {{ fill: #6e7781 }} .head {{ font-weight: 600 }} .line {{ stroke: #d0d7de }}
  @media (prefers-color-scheme: dark) {{
    svg {{ background: #0d1117; fill: #e6edf3 }}
    .ours {{ fill: #3bc9db }} .kill {{ fill: #6cb6ff }} .none {{ fill: #1c2128 }} .quiet {{ fill: #8b949e }}
    .line {{ stroke: #30363d }}
  }}
</style>
<defs><pattern id="stripes" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="4" height="4" fill="#e8a33d" fill-opacity=".25"/><rect width="1.5" height="4" fill="#e8a33d"/></pattern></defs>
)svg";

/// The places of `count` things, those with the largest score first.
std::vector<std::size_t> ranked(std::size_t count, auto score) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return score(a) > score(b); });
  return places;
}

/// Draws one matrix. Rows and columns stand in the order of their kills, mutants of the forward pass first.
class Picture {
 public:
  Picture(const KillMatrix& matrix, std::ostream& out)
      : matrix_(matrix),
        columns_(matrix.by_judge()),
        judges_(ranked(columns_.size(), [&](std::size_t j) { return columns_[j].kills; })),
        mutants_(ranked(matrix.mutants.size(), [&](std::size_t m) { return rank(matrix.mutants[m]); })),
        out_(out) {}

  void draw() {
    const index rows = static_cast<index>(mutants_.size()), below = top + rows * row + gap;
    out_ << fmt::format(opening, column_at(columns_.size() + 1) + gap, below + legend_height);
    heads();
    for (std::size_t r = 0; r < mutants_.size(); ++r)
      mutant(matrix_.mutants[mutants_[r]], top + static_cast<index>(r) * row);
    totals(below);
    legend(below + totals_height);
    out_ << "</svg>\n";
  }

 private:
  static constexpr index totals_height = 84, legend_height = 128, word = 4;

  static bool is_backward(const MutantRow& of) {
    return of.mutant->problem.find("pass=forward+backward") != std::string_view::npos;
  }
  static index rank(const MutantRow& of) {
    constexpr index forward = 1000;
    return std::ranges::count_if(of.convictions, &Conviction::convicted) + (is_backward(of) ? 0 : forward);
  }
  /// Where a column begins; attestone's is the first, apart from the others.
  static index column_at(std::size_t number) {
    return left + static_cast<index>(number) * column + (number == 0 ? 0 : gap / 2);
  }

  void text(index x, index y, std::string_view kind, std::string_view anchor, std::string_view words) {
    out_ << fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, kind, anchor,
                        words);
  }
  void box(index x, index y, index width, std::string_view kind, std::string_view words) {
    out_ << fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" class=\"{}\"><title>{}</title></rect>\n", x, y,
        width, cell_height, kind, words);
  }

  void heads() {
    const auto head = [&](std::size_t number, std::string_view kind, std::string_view name) {
      out_ << fmt::format("<text transform=\"translate({} {}) rotate(-45)\" class=\"head {}\">{}</text>\n",
                          column_at(number) + half, top - word * 2, kind, name);
    };
    head(0, "ours", "attestone");
    for (std::size_t c = 0; c < judges_.size(); ++c) head(c + 1, "", matrix_.judges[judges_[c]]->name);
  }

  void mutant(const MutantRow& of, index y) {
    text(left - 2 * word, y + cell_height - 2, is_backward(of) ? "quiet" : "", "end", of.mutant->name);
    box(column_at(0), y, cell, of.convicted() ? "ours" : "none", of.mutant->property);
    for (std::size_t c = 0; c < judges_.size(); ++c) {
      const Conviction& by = of.convictions[judges_[c]];
      const std::string names = fmt::format("{}, {}", of.mutant->name, matrix_.judges[judges_[c]]->name);
      box(column_at(c + 1), y, half - 1, kind_of(by.on_usual_inputs),
          fmt::format("{}, usual inputs: {}", names, attestone::text(by.on_usual_inputs)));
      box(column_at(c + 1) + half, y, half - 1, kind_of(by.on_its_problem),
          fmt::format("{}, the problem that shows it: {}", names, attestone::text(by.on_its_problem)));
    }
  }

  static std::string_view kind_of(Ruling ruling) {
    return ruling == Ruling::convicted ? "kill" : ruling == Ruling::let_through ? "none" : "twin";
  }

  static std::string percent(index part, index all) {
    return all == 0 ? "" : fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(all));
  }

  void totals(index y) {
    const index all = static_cast<index>(matrix_.mutants.size());
    out_ << fmt::format("<path d=\"M{} {}H{}\" class=\"line\"/>\n", left, y - gap / 2,
                        column_at(columns_.size()) + cell);
    const auto line = [&](index at, std::string_view name, const std::string& ours, auto of) {
      text(left - 2 * word, at, "head", "end", name);
      text(column_at(0) + half, at, "ours head", "middle", ours);
      for (std::size_t c = 0; c < judges_.size(); ++c)
        text(column_at(c + 1) + half, at, "", "middle", of(columns_[judges_[c]]));
    };
    const FalseAlarms ours = matrix_.our_alarms();
    line(y + row - word, "killed on usual inputs", "",
         [&](const JudgeColumn& s) { return percent(s.kills_on_usual_inputs, all); });
    line(y + 2 * row - word, "killed there or on ours", percent(matrix_.our_kills(), all),
         [&](const JudgeColumn& s) { return percent(s.kills, all); });
    line(y + 3 * row, "false alarms on usual inputs", "",
         [](const JudgeColumn& s) { return percent(s.on_usual_inputs.alarms, s.on_usual_inputs.cases); });
    line(y + 4 * row, "false alarms on ours", percent(ours.alarms, ours.cases),
         [](const JudgeColumn& s) { return percent(s.on_problems.alarms, s.on_problems.cases); });
  }

  void legend(index y) {
    index x = left;
    const auto entry = [&](std::string_view kind, std::string_view words, index width) {
      box(x, y, half - 1, kind, "");
      text(x + half + word, y + cell_height - 2, "", "start", words);
      x += width;
    };
    constexpr index short_entry = 92, long_entry = 232;
    entry("kill", "convicted", short_entry);
    entry("none", "let through", short_entry);
    entry("twin", "convicted, but so is the correct twin", long_entry);
    text(left, y + 2 * row, "quiet", "start",
         "Left half: on the inputs that the judge's project tests. Right half: on the problem that shows the fault.");
    text(left - 2 * word, y + cell_height - 2, "quiet", "end", "grey names: the backward pass");
  }

  const KillMatrix& matrix_;
  std::vector<JudgeColumn> columns_;
  std::vector<std::size_t> judges_, mutants_;
  std::ostream& out_;
};

const Registration<MatrixFormat> registered{{
    .name = "svg",
    .extension = "svg",
    .summary = "a picture",
    .write = [](const KillMatrix& matrix, std::ostream& out) { Picture(matrix, out).draw(); },
}};

}  // namespace
}  // namespace attestone::inline conformance
