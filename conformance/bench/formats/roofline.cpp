// SPDX-License-Identifier: Apache-2.0
// A bench as a picture: what is computed a second over how much there is to compute for each byte, below the roofs.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <ostream>
#include <vector>

#include "conformance/bench/amounts.hpp"
#include "conformance/bench/formats/bench_format.hpp"
#include "conformance/bench/spread.hpp"
#include "conformance/bench/svg.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr int width = 860, height = 470;
constexpr double left = 70, right = 610, top = 40, bottom = 420, giga = 1e9;

/// A logarithmic axis from one place of the picture to another.
struct Axis {
  double least, most, from, to;

  double place(double value) const {
    const double share = std::log(value / least) / std::log(most / least);
    return from + std::clamp(share, 0.0, 1.0) * (to - from);
  }
};

/// One contender on one cell.
struct Point {
  double intensity, rate;
  int colour;
  bool most_threads;
  std::string says;
};

std::vector<std::string> contenders_of(const BenchResult& result) {
  std::vector<std::string> all;
  for (const BenchCell& cell : result.cells)
    for (const Entry& entry : cell.entries)
      if (!entry.seconds.empty() && std::find(all.begin(), all.end(), entry.contender) == all.end())
        all.push_back(entry.contender);
  return all;
}

std::vector<Point> points_of(const BenchResult& result, const std::vector<std::string>& contenders, int threads) {
  std::vector<Point> all;
  for (const BenchCell& cell : result.cells)
    for (const Entry& entry : cell.entries) {
      if (entry.seconds.empty()) continue;
      const auto number = std::find(contenders.begin(), contenders.end(), entry.contender) - contenders.begin();
      const double rate = cell.flops / median_of(entry.seconds);
      all.push_back({cell.flops / tensor_bytes(cell.problem), rate, static_cast<int>(number) % Svg::colours,
                     cell.threads == threads,
                     fmt::format("{}, {} threads: {:.1f} Gflop/s, {:.2f} of {}\n{}", entry.contender, cell.threads,
                                 rate / giga, median_of(entry.shares), cell.limit, cell.problem.text())});
    }
  return all;
}

/// Ten to the whole power below and above.
double decade_below(double value) { return std::pow(10, std::floor(std::log10(value))); }
double decade_above(double value) { return std::pow(10, std::ceil(std::log10(value))); }

void draw_axes(Svg& svg, const Axis& x, const Axis& y) {
  for (double at = x.least; at <= x.most * 1.01; at *= 10) {
    svg.line(x.place(at), top, x.place(at), bottom, "grid");
    svg.words(x.place(at), bottom + 18, fmt::format("{:g}", at), "middle", "quiet");
  }
  for (double at = y.least; at <= y.most * 1.01; at *= 10) {
    svg.line(left, y.place(at), right, y.place(at), "grid");
    svg.words(left - 8, y.place(at) + 4, fmt::format("{:g}", at / giga), "end", "quiet");
  }
  svg.words((left + right) / 2, bottom + 38, "useful operations for each byte of the tensors", "middle");
  svg.words(20, (top + bottom) / 2, "Gflop/s", "middle", "", -90);
}

/// The slope is the memory's, the flat parts are the multiply-adds'.
void draw_roof(Svg& svg, const Axis& x, const Axis& y, const ThreadLimits& limits, bool most_threads) {
  const double read = limits.rate("read").value_or(0);
  double highest = 0;
  for (const char* name : {"f32", "bf16", "bf16_tile"}) {
    const double peak = limits.rate(name).value_or(0);
    if (!(peak > 1.05 * highest)) continue;
    highest = peak;
    const double ridge = read > 0 ? std::max(peak / read, x.least) : x.least;
    svg.line(x.place(ridge), y.place(peak), right, y.place(peak), most_threads ? "roof" : "roof low");
    svg.words(right - 4, y.place(peak) + (most_threads ? -5 : 14),
              fmt::format("{}, {} threads: {:.0f}", name, limits.threads, peak / giga), "end", "quiet");
  }
  if (!(read > 0) || !(highest > 0)) return;
  const double first = std::max(x.least, y.least / read), ridge = std::min(highest / read, x.most);
  svg.line(x.place(first), y.place(first * read), x.place(ridge), y.place(ridge * read),
           most_threads ? "roof" : "roof low");
  const double middle = std::sqrt(first * ridge);
  if (most_threads)
    svg.words(x.place(middle) - 10, y.place(middle * read) - 4, fmt::format("reads: {:.0f} GB/s", read / giga), "end",
              "quiet");
}

void draw_legend(Svg& svg, const std::vector<std::string>& contenders, int threads, bool others) {
  double y = top + 6;
  for (std::size_t i = 0; i < contenders.size(); ++i, y += 18) {
    svg.circle(right + 22, y - 4, 4, fmt::format("c{}", i % Svg::colours), contenders[i]);
    svg.words(right + 34, y, contenders[i].substr(0, 32), "start");
  }
  y += 8;
  svg.words(right + 16, y, fmt::format("full: {} threads", threads), "start", "quiet");
  if (others) svg.words(right + 16, y + 16, "hollow, dashed: fewer", "start", "quiet");
}

void write(const BenchResult& result, std::ostream& out) {
  int threads = 0;
  for (const ThreadLimits& limits : result.limits) threads = std::max(threads, limits.threads);
  const std::vector<std::string> contenders = contenders_of(result);
  const std::vector<Point> points = points_of(result, contenders, threads);
  double slowest = giga, fastest = giga, sparse = 1, dense = 10;
  for (const ThreadLimits& limits : result.limits)
    fastest = std::max({fastest, limits.rate("f32").value_or(0), limits.rate("bf16").value_or(0),
                        limits.rate("bf16_tile").value_or(0)});
  for (const Point& point : points) {
    slowest = std::min(slowest, point.rate), fastest = std::max(fastest, point.rate);
    sparse = std::min(sparse, point.intensity), dense = std::max(dense, point.intensity);
  }
  const Axis x{decade_below(sparse), decade_above(dense), left, right};
  const Axis y{decade_below(slowest), decade_above(fastest), bottom, top};

  Svg svg(width, height, "Attention below the roofs of this machine");
  svg.words(left, 22, fmt::format("{}, {}", result.processor, result.date), "start", "head");
  draw_axes(svg, x, y);
  for (const ThreadLimits& limits : result.limits) draw_roof(svg, x, y, limits, limits.threads == threads);
  for (const Point& point : points)
    svg.circle(x.place(point.intensity), y.place(point.rate), 4,
               fmt::format("c{}{}", point.colour, point.most_threads ? "" : " hollow"), point.says);
  draw_legend(svg, contenders, threads, result.limits.size() > 1);
  out << svg.text();
}

const Registration<BenchFormat> registered{{
    .name = "svg",
    .extension = "svg",
    .summary = "a picture: Gflop/s below the roofs of memory and arithmetic",
    .write = write,
}};

}  // namespace
}  // namespace attestone::inline conformance
