// SPDX-License-Identifier: Apache-2.0
// Host "fragments": a forward pass as a warp runs it. 16 queries meet tiles of keys, right to left; scores and output
// are accumulator fragments of 16 x 8 in the registers of 32 lanes, rows are reduced by shuffles within quads, weights
// are put into V's format and are the next product's operand. Tile shapes are templates, chosen by dim.
#pragma once
#include <array>
#include <thread>

#include "mutants/hosts/fragments/rules.hpp"

namespace attestone::inline mutants::fragments {

inline constexpr int kLanes = 32, kRows = 16;

/// A 16 x 8 accumulator: lane 4 g + t holds rows g and g + 8, columns 2 t and 2 t + 1.
using Fragment = std::array<std::array<float, 4>, kLanes>;
inline int row_of(int lane, int reg) { return lane / 4 + 8 * (reg / 2); }
inline int column_of(int lane, int reg) { return lane % 4 * 2 + reg % 2; }

/// The scores of 16 rows with so many keys.
template <int Width>
using Packs = std::array<Fragment, static_cast<std::size_t>(Width / 8)>;

/// The two rows of each lane.
using RowPair = std::array<std::array<float, 2>, kLanes>;

struct Item {
  Int block, head, batch;
};

class Fragments : public Rules {
 public:
  using Rules::Rules;

  void run() override {
    const Int blocks = row_blocks(), items = blocks * a.heads * a.batch;
    const int count = workers(items);
    const auto work = [&](Int first) {
      for (Int n = first; n < items; n += count) {
        const Item item = item_of(n, blocks);
        if (dim <= 64)
          tile<64>(item);
        else if (dim <= 128)
          tile<32>(item);
        else
          tile<16>(item);
      }
    };
    std::vector<std::thread> others;
    for (int w = 1; w < count; ++w) others.emplace_back(work, w);
    work(0);
    for (std::thread& other : others) other.join();
  }

 protected:
  /// How many blocks of 16 rows a sequence may have.
  Int row_blocks() const {
    Int rows = 0;
    for (Int b = 0; b < a.batch; ++b) rows = std::max(rows, sequence(b).query_rows);
    return tiles_of(rows, kRows);
  }
  /// Long rows first: causal blocks are taken from the last one on.
  Item item_of(Int n, Int blocks) const {
    return {blocks - 1 - n % blocks, n / blocks % a.heads, n / blocks / a.heads};
  }
  virtual float exp2_of(float x, int /*column*/) const { return std::exp2(x); }
  /// The sum over a quad, of one value in each lane.
  virtual void quad_sum(RowPair& x) const {
    for (const int step : {1, 2}) x = added(x, shuffled(x, step));
  }
  virtual Int first_key(Int tile, int width) const { return tile * width; }
  /// Where rows of K and V begin.
  Int key_at(const Sequence& s, Int kv, Int j) const { return k.offset(s.place, kv, s.first_key + j); }
  virtual Int value_at(const Sequence& s, Int kv, Int j) const { return v.offset(s.place, kv, s.first_key + j); }
  /// True if a key of a tile exists and is seen.
  virtual bool allows(const Sequence& s, Int h, Int i, Int j) const { return j >= 0 && j < s.keys && sees(s, h, i, j); }
  /// True if the pairs of a tile have to be asked for one by one.
  virtual bool masks(const Sequence& s, Int i0, Int i1, Int j0, Int j1, bool /*leftmost*/) const {
    if (a.mask_form == ATTESTONE_MASK_BYTES || bias || j1 > s.keys) return true;
    return banded() && !(in_band(s, i0, j1 - 1) && in_band(s, i1 - 1, j0));
  }
  /// True if a tile is visited at all.
  virtual bool visits(const Sequence& /*s*/, Int /*h*/, Int /*i0*/, Int /*i1*/, Int /*j0*/, Int /*j1*/) const {
    return true;
  }
  /// How many channels take part in q.k: steps of 16.
  virtual int product_steps() const { return static_cast<int>(tiles_of(dim, 16)); }
  /// The column of the output to which column c of the fragments goes.
  virtual Int out_column(Int c) const { return c; }

  static RowPair shuffled(const RowPair& x, int step) {
    RowPair y;
    for (int lane = 0; lane < kLanes; ++lane) y[at(lane)] = x[at(lane ^ step)];
    return y;
  }
  static RowPair added(const RowPair& x, const RowPair& y) {
    RowPair z;
    for (int lane = 0; lane < kLanes; ++lane)
      for (int r = 0; r < 2; ++r) z[at(lane)][at(r)] = x[at(lane)][at(r)] + y[at(lane)][at(r)];
    return z;
  }
  static float base_of(float maximum) { return maximum == -kInfinity ? 0.0f : maximum; }

 private:
  template <int Width>
  void tile(const Item& item) {
    const Sequence s = sequence(item.batch);
    const Int i0 = item.block * kRows, h = item.head, kv = h / group;
    if (i0 >= s.query_rows) return;
    const Int i1 = std::min(i0 + kRows, s.queries);
    const int depth = static_cast<int>(tiles_of(dim, 16)) * 16, packs = static_cast<int>(tiles_of(value_dim, 8));
    Floats qs = filled(kRows * depth), ks = filled(Width * depth), vs = filled(Width * packs * 8);
    for (Int i = i0; i < i1; ++i) q.load_row(&qs[at((i - i0) * depth)], q.offset(s.place, h, s.first_query + i), dim);
    std::vector<Fragment> o(at(packs), Fragment{});
    RowPair maximum, sum{};
    for (auto& pair : maximum) pair.fill(-kInfinity);

    const Range reach = i1 > i0 ? keys_of(s, i0, i1) : Range{};
    const Int low = reach.begin / Width, high = reach.empty() ? low : tiles_of(reach.end, Width);
    for (Int n = high - 1; n >= low; --n) {
      const Int j0 = first_key(n, Width);
      if (!visits(s, h, i0, i1, j0, j0 + Width)) continue;
      for (Int j = j0; j < j0 + Width; ++j) {
        float* key = &ks[at((j - j0) * depth)];
        float* value = &vs[at((j - j0) * packs * 8)];
        std::fill(key, key + depth, 0.0f);
        std::fill(value, value + packs * 8, 0.0f);
        if (j < 0 || j >= s.keys) continue;
        k.load_row(key, key_at(s, kv, j), dim);
        v.load_row(value, value_at(s, kv, j), value_dim);
      }
      Packs<Width> p = scores<Width>(qs.data(), ks.data(), depth);
      const bool masked = masks(s, i0, i1, j0, j0 + Width, n == low);
      RowPair top = maximum;
      each<Width>([&](int lane, int reg, int pack) {
        float& x = p[at(pack)][at(lane)][at(reg)];
        const Int i = i0 + row_of(lane, reg), j = j0 + pack * 8 + column_of(lane, reg);
        const bool hidden = i >= i1 || (masked && !allows(s, h, i, j));
        x = hidden ? -kInfinity : score(s, h, i, j, x * scale());
        float& m = top[at(lane)][at(reg / 2)];
        m = x > m ? x : m;
      });
      for (const int step : {1, 2}) {
        const RowPair other = shuffled(top, step);
        for (int lane = 0; lane < kLanes; ++lane)
          for (int r = 0; r < 2; ++r) top[at(lane)][at(r)] = std::max(top[at(lane)][at(r)], other[at(lane)][at(r)]);
      }
      rescale(o, sum, maximum, top);
      each<Width>([&](int lane, int reg, int pack) {
        float& x = p[at(pack)][at(lane)][at(reg)];
        const int column = pack * 8 + column_of(lane, reg);
        const float w = exp2_of((x - base_of(maximum[at(lane)][at(reg / 2)])) * kLog2e, column);
        sum[at(lane)][at(reg / 2)] += w;
        const Int i = i0 + row_of(lane, reg);
        x = w == 0 || (i < i1 && !kept(s, h, i, j0 + column)) ? 0.0f : rounded(w, v.format);
      });
      accumulate<Width>(o, p, vs.data());
    }
    quad_sum(sum);
    store(s, h, i0, o, sum, maximum);
  }

  template <int Width, class Visit>
  static void each(const Visit& visit) {
    for (int lane = 0; lane < kLanes; ++lane)
      for (int pack = 0; pack < Width / 8; ++pack)
        for (int reg = 0; reg < 4; ++reg) visit(lane, reg, pack);
  }
  template <int Width>
  Packs<Width> scores(const float* qs, const float* ks, int depth) const {
    Packs<Width> p{};
    const int steps = product_steps();
    each<Width>([&](int lane, int reg, int pack) {
      const float* x = qs + row_of(lane, reg) * depth;
      const float* y = ks + (pack * 8 + column_of(lane, reg)) * depth;
      float acc = 0.0f;
      for (int step = 0; step < steps; ++step) acc += product(x + step * 16, y + step * 16, 16);
      p[at(pack)][at(lane)][at(reg)] = acc;
    });
    return p;
  }
  void rescale(std::vector<Fragment>& o, RowPair& sum, RowPair& maximum, const RowPair& top) const {
    for (int lane = 0; lane < kLanes; ++lane)
      for (int r = 0; r < 2; ++r) {
        const float m = maximum[at(lane)][at(r)], next = top[at(lane)][at(r)];
        const float shrink = m == next ? 1.0f : m == -kInfinity ? 0.0f : std::exp2((m - next) * kLog2e);
        maximum[at(lane)][at(r)] = next;
        if (shrink == 1.0f) continue;
        sum[at(lane)][at(r)] *= shrink;
        for (Fragment& fragment : o)
          for (int reg = 2 * r; reg < 2 * r + 2; ++reg) fragment[at(lane)][at(reg)] *= shrink;
      }
  }
  /// o += P V: the weights of a row are gathered from its quad.
  template <int Width>
  static void accumulate(std::vector<Fragment>& o, const Packs<Width>& p, const float* vs) {
    const Int pitch = static_cast<Int>(o.size()) * 8;
    for (int row = 0; row < kRows; ++row)
      for (int j = 0; j < Width; ++j) {
        const int source = row % 8 * 4 + j % 8 / 2, reg = row / 8 * 2 + j % 2;
        const float w = p[at(j / 8)][at(source)][at(reg)];
        if (w == 0) continue;
        for (Int c = 0; c < pitch; ++c) {
          const auto lane = at(row % 8 * 4 + c % 8 / 2), slot = at(row / 8 * 2 + c % 2);
          o[at(c / 8)][lane][slot] += w * vs[j * pitch + c];
        }
      }
  }
  void store(const Sequence& s, Int h, Int i0, const std::vector<Fragment>& o, const RowPair& sum,
             const RowPair& maximum) const {
    for (int row = 0; row < kRows && i0 + row < s.query_rows; ++row) {
      const auto first = at(row % 8 * 4), half = at(row / 8);
      float m = maximum[first][half], l = sum[first][half], factor = keep_factor();
      if (sink) {
        const float logit = sink_of(h), top = logit > m ? logit : m, base = base_of(top);
        const float shrink = m == -kInfinity ? (l == 0 ? 0.0f : 1.0f) : std::exp(m - base);
        l = l * shrink + std::exp(logit - base);
        factor *= shrink;
        m = top;
      }
      const Int to = out.offset(s.place, h, s.first_query + i0 + row);
      for (Int c = 0; c < value_dim; ++c) {
        const float x = o[at(c / 8)][first + at(c % 8 / 2)][half * 2 + at(c % 2)];
        out.store(to + out_column(c) * out.stride[3], l == 0 ? 0.0f : x * factor / l);
      }
      lse.store(lse.offset(s.place, h, s.first_query + i0 + row), l == 0 ? -kInfinity : base_of(m) + std::log(l));
    }
  }
};

}  // namespace attestone::inline mutants::fragments
