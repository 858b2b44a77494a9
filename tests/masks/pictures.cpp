// SPDX-License-Identifier: Apache-2.0
// Painting masks.
#include "tests/masks/pictures.hpp"

#include <stdexcept>

namespace attestone {
namespace {

Picture blank(const Sequence& size, char paint) {
  return Picture(static_cast<std::size_t>(size.queries), std::string(static_cast<std::size_t>(size.keys), paint));
}

/// A brush that is set down somewhere on one row, perhaps outside the paper, and paints towards one side.
void stroke(std::string& row, index from, int direction, index cells) {
  for (index at = from; cells > 0; at += direction, --cells)
    if (at >= 0 && at < static_cast<index>(row.size())) row[static_cast<std::size_t>(at)] = '#';
}

/// Where each query stands, from the bottom up: the last one at the last key, each other one to the left of its
/// successor. A query may stand outside the paper.
std::vector<index> standing(const Sequence& size) {
  std::vector<index> at(static_cast<std::size_t>(size.queries));
  index where = size.keys - 1;
  for (auto query = at.rbegin(); query != at.rend(); ++query) *query = where--;
  return at;
}

/// Every row may reach as far as the paper and any standing place do.
index whole_row(const Sequence& size) { return size.queries + size.keys + 1; }

Picture causal(const Sequence& size) {
  Picture rows = blank(size, '.');
  const auto at = standing(size);
  for (std::size_t query = 0; query < rows.size(); ++query) stroke(rows[query], at[query], -1, whole_row(size));
  return rows;
}

Picture causal_top_left(const Sequence& size) {
  Picture rows = blank(size, '.');
  std::string seen;
  for (std::string& row : rows) {
    seen += '#';
    row.replace(0, std::min(seen.size(), row.size()), seen, 0, row.size());
  }
  return rows;
}

Picture window(const Sequence& size, index left, index right) {
  Picture rows = blank(size, '.');
  const auto at = standing(size);
  for (std::size_t query = 0; query < rows.size(); ++query) {
    stroke(rows[query], at[query], -1, left == -1 ? whole_row(size) : left + 1);
    stroke(rows[query], at[query], +1, right == -1 ? whole_row(size) : right + 1);
  }
  return rows;
}

Picture rule(const Mask& mask, const Sequence& size) {
  if (mask.rule() == "full") return blank(size, '#');
  if (mask.rule() == "causal") return causal(size);
  if (mask.rule() == "causal:top_left") return causal_top_left(size);
  if (mask.rule() == "window") return window(size, mask.arguments()[0], mask.arguments()[1]);
  throw std::logic_error("mask '" + mask.rule() + "' needs a second definition in tests/masks/pictures.cpp");
}

template <class Cell>
Picture cell_by_cell(Picture left, const Picture& right, Cell cell) {
  for (std::size_t query = 0; query < left.size(); ++query)
    for (std::size_t key = 0; key < left[query].size(); ++key)
      left[query][key] = cell(left[query][key] == '#', right[query][key] == '#') ? '#' : '.';
  return left;
}

}  // namespace

Picture picture(const Mask& mask, const Sequence& size) {
  if (mask.kind() == Mask::Kind::rule) return rule(mask, size);
  Picture all = picture(mask.parts().front(), size);
  if (mask.kind() == Mask::Kind::not_) return cell_by_cell(all, all, [](bool cell, bool) { return !cell; });
  for (std::size_t part = 1; part < mask.parts().size(); ++part) {
    const Picture other = picture(mask.parts()[part], size);
    all = mask.kind() == Mask::Kind::and_ ? cell_by_cell(all, other, [](bool a, bool b) { return a && b; })
                                          : cell_by_cell(all, other, [](bool a, bool b) { return a || b; });
  }
  return all;
}

Picture padded(const Picture& inner, const Sequence& frame) {
  Picture rows = blank(frame, '.');
  for (std::size_t query = 0; query < inner.size(); ++query) rows[query].replace(0, inner[query].size(), inner[query]);
  return rows;
}

}  // namespace attestone
