// SPDX-License-Identifier: Apache-2.0
// The micro-kernels of the certified tiles: a few broadcast rows times two vectors, all sums in registers; included
// once per Highway target.
#if defined(ATTESTONE_PRODUCTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTESTONE_PRODUCTS_INL
#undef ATTESTONE_PRODUCTS_INL
#else
#define ATTESTONE_PRODUCTS_INL
#endif

#include <algorithm>
#include <cstdint>
#include <hwy/highway.h>
#include <span>
#include <utility>

#include "reference/certified/forward/tile_extents.hpp"
#include "reference/certified/numbers/unrolled-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// At most 8 lanes, so that 16 rows are a whole number of pairs of vectors on every machine.
using Rows = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Rows>;

/// Rows of a left operand that one product takes: what 32 or 16 registers hold without spilling, and two pipes of
/// latency 4 keep busy.
constexpr int product_rows = HWY_TARGET <= HWY_AVX3 ? 12 : 6;

/// The broadcast operand: (row, step) is at data[row * row_stride + step * step_stride].
struct LeftOperand {
  const double* data;
  index row_stride, step_stride;
};

/// A sum of products over some steps, at least one: left(row, step) times two vectors from right[step][right_stride].
struct Chain {
  LeftOperand left;
  const double* right;
  index right_stride, steps;
};

/// Fetches what stands so many doubles after a place, if anything does, into the first or second cache.
template <int cache>
HWY_INLINE void fetch(const double* place, index doubles) {
  constexpr int to_read = 0, locality = 4 - cache;
  const auto at = reinterpret_cast<std::uintptr_t>(place) + static_cast<std::uintptr_t>(doubles) * sizeof(double);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it may lie behind the end, and is not read
  __builtin_prefetch(reinterpret_cast<const void*>(at), to_read, locality);
}

/// a and b of every row: the fresh sums of a chain. Fetches what the next products will broadcast: what stands some way
/// behind where columns of left lie together, else the next rows.
template <int rows>
HWY_INLINE void sum_chain(const Chain& chain, Vector (&a)[rows], Vector (&b)[rows]) {
  const Rows d;
  const std::size_t lanes = hn::Lanes(d);
  LeftOperand left = chain.left;
  const double* right = chain.right;
  constexpr index line = 8, distance = 256;
  const double* data = left.data;
  index next = left.row_stride == 1 ? distance : rows * left.row_stride;
  Vector x = hn::Load(d, right), y = hn::Load(d, right + lanes);
  unrolled<rows>([&]<int row>() ATTESTONE_IN_KERNEL {
    const Vector v = hn::Set(d, left.data[row * left.row_stride]);
    a[row] = hn::Mul(v, x);
    b[row] = hn::Mul(v, y);
  });
  for (index step = 1; step < chain.steps; ++step) {
    left.data += left.step_stride, right += chain.right_stride;
    fetch<1>(data, next);
    if constexpr (rows > line) fetch<1>(data, next + line);
    next += std::max(line, left.step_stride);
    x = hn::Load(d, right), y = hn::Load(d, right + lanes);
    unrolled<rows>([&]<int row>() ATTESTONE_IN_KERNEL {
      const Vector v = hn::Set(d, left.data[row * left.row_stride]);
      a[row] = hn::MulAdd(v, x, a[row]);
      b[row] = hn::MulAdd(v, y, b[row]);
    });
  }
}

/// finish(row, a, b) for every row of the sum of one chain.
template <int rows, class Finish>
HWY_INLINE void multiply(const Chain& chain, Finish finish) {
  Vector a[rows], b[rows];
  sum_chain<rows>(chain, a, b);
  unrolled<rows>([&]<int row>() ATTESTONE_IN_KERNEL { finish(row, a[row], b[row]); });
}

/// Calls finish(row, a, b) for every row of the sum of several chains, at least one, each of them a fresh sum. The
/// total of the earlier ones waits in memory: in registers, it would take half of them.
template <int rows, class ChainAt, class Finish>
HWY_INLINE void add_chains(index chains, ChainAt chain_at, Finish finish) {
  const Rows d;
  const std::size_t lanes = hn::Lanes(d);
  Vector a[rows], b[rows];
  sum_chain<rows>(chain_at(0), a, b);
  if (chains == 1) return unrolled<rows>([&]<int row>() ATTESTONE_IN_KERNEL { finish(row, a[row], b[row]); });
  alignas(64) double totals[2 * rows * hn::MaxLanes(d)];
  unrolled<rows>([&]<int row>() ATTESTONE_IN_KERNEL {
    hn::Store(a[row], d, totals + 2 * lanes * row);
    hn::Store(b[row], d, totals + 2 * lanes * row + lanes);
  });
  for (index chain = 1; chain < chains; ++chain) {
    sum_chain<rows>(chain_at(chain), a, b);
    const bool last = chain + 1 == chains;
    unrolled<rows>([&]<int row>() ATTESTONE_IN_KERNEL {
      double* total = totals + 2 * lanes * row;
      a[row] = hn::Add(hn::Load(d, total), a[row]);
      b[row] = hn::Add(hn::Load(d, total + lanes), b[row]);
      if (last) return finish(row, a[row], b[row]);
      hn::Store(a[row], d, total);
      hn::Store(b[row], d, total + lanes);
    });
  }
}

/// visit.operator()<rows>(first) for rows 0 ... all - 1, in blocks of `most` and one of what remains: a third of that
/// or two, for `all` is a multiple of 4, and of 2 where `most` is 6.
template <int most, class Visit>
HWY_INLINE void for_each_block(index all, Visit visit) {
  constexpr int part = most / 3;
  index first = 0;
  for (; first + most <= all; first += most) visit.template operator()<most>(first);
  if (all - first == part) visit.template operator()<part>(first);
  if (all - first == 2 * part) visit.template operator()<2 * part>(first);
}

/// out[rows][16] = out * factor + sum over steps of left[step][stride] x right[step][16]: a fresh sum, added once. Out
/// of line, because g++ 12 spills the sums of inlined loops.
template <int rows>
HWY_NOINLINE void add_product_block(const double* HWY_RESTRICT left, index stride, const double* HWY_RESTRICT right,
                                    index steps, const double* HWY_RESTRICT factor, double* HWY_RESTRICT out) {
  const Rows d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t at = 0; at < rows_per_tile; at += 2 * lanes) {
    const Vector f = hn::Load(d, factor + at), g = hn::Load(d, factor + at + lanes);
    multiply<rows>({{left, 1, stride}, right + at, rows_per_tile, steps},
                   [&](index row, const Vector& a, const Vector& b) ATTESTONE_IN_KERNEL {
                     double* to = out + row * rows_per_tile + at;
                     hn::Store(hn::MulAdd(hn::Load(d, to), f, a), d, to);
                     hn::Store(hn::MulAdd(hn::Load(d, to + lanes), g, b), d, to + lanes);
                   });
  }
}

/// Adds the products of any even number of rows, `most` of them at a time.
template <int most>
HWY_INLINE void add_products(const double* left, index stride, index rows_in_all, const double* right, index steps,
                             const double* factor, double* out) {
  for_each_block<most>(rows_in_all, [&]<int rows>(index first) ATTESTONE_IN_KERNEL {
    add_product_block<rows>(left + first, stride, right, steps, factor, out + first * rows_per_tile);
  });
}

/// Prefetches the next operand into the second cache little by little, while products keep the processor busy:
/// nobody else fetches it in time where it lies farther away.
class Ahead {
 public:
  /// Nothing.
  Ahead() = default;
  /// Both, in so many steps.
  Ahead(std::span<const double> first, std::span<const double> second, index steps)
      : next_(first), then_(second), lines_((std::ssize(first) + std::ssize(second)) / (line * steps) + 1) {}

  HWY_INLINE void step() {
    for (index i = 0; i < lines_; ++i) fetch<2>(next_.data(), i * line);
    if (const auto fetched = static_cast<std::size_t>(lines_ * line); next_.size() > fetched)
      next_ = next_.subspan(fetched);
    else if (next_ = std::exchange(then_, {}); next_.empty())
      lines_ = 0;
  }

 private:
  static constexpr index line = 8;  ///< doubles
  std::span<const double> next_, then_;
  index lines_ = 0;
};

/// Neighbouring rows and the channels of each, `channels_per_chunk` of them together, which lie chunk_stride apart.
/// Rows are known to be row_stride apart, so that one address serves for all of them.
template <index row_stride>
struct DotOperand {
  const double* first;  ///< chunk
  index step_stride, chunk_stride, channels;

  index chunks() const { return (channels + channels_per_chunk - 1) / channels_per_chunk; }
};

/// score[rows][16] = scale * of.query, summed up in fresh sums of at most channels_per_chunk channels.
template <int rows, index row_stride>
HWY_NOINLINE void dot_block(const DotOperand<row_stride>& of, const double* HWY_RESTRICT query, double scale,
                            double* HWY_RESTRICT score, Ahead& ahead) {
  const Rows d;
  const std::size_t lanes = hn::Lanes(d);
  const Vector factor = hn::Set(d, scale);
  constexpr index chunk = channels_per_chunk;
  unrolled<2 * rows>([&]<int line>() ATTESTONE_IN_KERNEL { fetch<1>(score, line * 8); });
  for (std::size_t at = 0; at < rows_per_tile; at += 2 * lanes)
    add_chains<rows>(
        of.chunks(),
        [&](index c) ATTESTONE_IN_KERNEL {
          ahead.step();
          return Chain{{of.first + c * of.chunk_stride, row_stride, of.step_stride},
                       query + c * chunk * rows_per_tile + at,
                       rows_per_tile,
                       std::min(chunk, of.channels - c * chunk)};
        },
        [&](index row, const Vector& a, const Vector& b) ATTESTONE_IN_KERNEL {
          double* to = score + row * rows_per_tile + at;
          hn::Store(hn::Mul(a, factor), d, to);
          hn::Store(hn::Mul(b, factor), d, to + lanes);
        });
}

/// Computes the dot products of an even number of rows.
template <index row_stride>
HWY_INLINE void dot_products(DotOperand<row_stride> of, index rows_in_all, const double* query, double scale,
                             double* score, Ahead& ahead) {
  for_each_block<product_rows>(rows_in_all, [&]<int rows>(index first) ATTESTONE_IN_KERNEL {
    DotOperand<row_stride> block = of;
    block.first += first * row_stride;
    dot_block<rows>(block, query, scale, score + first * rows_per_tile, ahead);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#endif
