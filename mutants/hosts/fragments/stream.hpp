// SPDX-License-Identifier: Apache-2.0
// Host "stream": a forward pass in the manner of stream-K. The rows of the query heads of a group are packed in blocks
// of 16; all steps of 32 keys of all blocks stand in one line, which seven processors share evenly. Who begins a block
// finishes it: he waits for what later processors did of it, merges, adds the sink and stores.
#pragma once
#include <atomic>
#include <mutex>
#include <thread>

#include "mutants/hosts/fragments/rules.hpp"

namespace attestone::inline mutants::fragments {

inline constexpr Int kBlock = 16, kStep = 32, kProcessors = 7;

/// A block of packed rows, and its steps along the line.
struct Block {
  Sequence s;
  Int kv = 0, row0 = 0, rows = 0, live = 0;  // rows of the block; those of them that are queries
  Int key0 = 0, key1 = 0;
  Int first = 0, steps = 0;
};

/// The state of a block after some of its steps.
struct Partial {
  Floats maximum, sum, acc;
};

class Stream : public Rules {
 public:
  using Rules::Rules;

  void run() override {
    plan();
    const Int total = blocks_.empty() ? 0 : blocks_.back().first + blocks_.back().steps;
    partials_.assign(at(kProcessors), fresh());
    ready_ = std::vector<std::atomic<int>>(at(kProcessors));
    std::atomic<Int> next{kProcessors};
    const auto work = [&] {
      for (Int c; (c = next.fetch_sub(1) - 1) >= 0;) processor(c, begin_of(c, total), begin_of(c + 1, total), total);
    };
    std::vector<std::thread> others;
    for (int w = 1; w < workers(kProcessors); ++w) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
    for (const Block& block : blocks_)
      if (block.steps == 0) store_without_steps(block);
  }

 protected:
  static Int begin_of(Int c, Int total) { return c * total / kProcessors; }
  /// The division by which block numbers are taken apart.
  virtual Int quotient(Int n, Int d) const { return n / d; }
  /// The extents that the plan is made for.
  virtual Sequence planned(Int b) const { return sequence(b); }
  Int query_of(Int row) const { return row / group; }
  Int head_of(const Block& block, Int row) const { return block.kv * group + row % group; }
  virtual float slope_of_row(const Block& block, Int row) const { return slope_of(head_of(block, row)); }
  virtual Int distance_of_row(const Block& block, Int i, Int j) const { return alibi_distance(block.s, i, j); }
  /// Partial results before anything is done.
  Partial fresh() const { return {filled(kBlock, -kInfinity), filled(kBlock), filled(kBlock * value_dim)}; }
  /// True if processor c's part of a block is merged by its owner.
  virtual bool takes(const Block&, Int /*owner*/, Int /*c*/) const { return true; }
  virtual void publish(Int c, const Partial& part) {
    store_part(c, part);
    raise_flag(c);
  }
  void store_part(Int c, const Partial& part) {
    const std::lock_guard held(of_partials_);
    partials_[at(c)] = part;
  }
  Partial part_of(Int c) {
    const std::lock_guard held(of_partials_);
    return partials_[at(c)];
  }
  void raise_flag(Int c) { ready_[at(c)].store(1, std::memory_order_release); }
  void await(Int c) const {
    while (ready_[at(c)].load(std::memory_order_acquire) == 0) std::this_thread::yield();
  }
  virtual void merge(Partial& into, const Partial& part, Int r) const {
    const float m = into.maximum[at(r)], n = part.maximum[at(r)], top = n > m ? n : m;
    if (top == -kInfinity && part.sum[at(r)] == 0) return;
    const float x = weight_of(m, top), y = weight_of(n, top);
    into.maximum[at(r)] = top;
    into.sum[at(r)] = joined(into.sum[at(r)], x, part.sum[at(r)], y);
    for (Int c = 0; c < value_dim; ++c)
      into.acc[at(r * value_dim + c)] = joined(into.acc[at(r * value_dim + c)], x, part.acc[at(r * value_dim + c)], y);
  }
  virtual Int out_at(const Block& block, Int h, Int i, bool /*merged*/) const {
    return out.offset(block.s.place, h, block.s.first_query + i);
  }
  virtual Int lse_at(const Block& block, Int h, Int i) const {
    return lse.offset(block.s.place, h, block.s.first_query + i);
  }
  virtual void store_without_steps(const Block& block) const { store(block, fresh(), false); }

  static float base_of(float m) { return m == -kInfinity ? 0.0f : m; }
  static float weight_of(float m, float top) { return m == top ? 1.0f : m == -kInfinity ? 0.0f : std::exp(m - top); }
  static float joined(float a, float x, float b, float y) { return (x == 0 ? a * 0.0f : a * x) + b * y; }

  std::vector<Block> blocks_;

 private:
  std::vector<Partial> partials_;
  std::vector<std::atomic<int>> ready_;
  std::mutex of_partials_;

  void plan() {
    Int most = 0;
    for (Int b = 0; b < a.batch; ++b) most = std::max(most, tiles_of(planned(b).query_rows * group, kBlock));
    Int first = 0;
    for (Int n = 0; n < most * a.kv_heads * a.batch; ++n) {
      const Int m = quotient(n, most), b = quotient(m, a.kv_heads);
      Block block;
      block.s = planned(b);
      block.kv = m - b * a.kv_heads;
      block.row0 = (n - m * most) * kBlock;
      block.rows = std::min(kBlock, block.s.query_rows * group - block.row0);
      block.live = std::min(kBlock, block.s.queries * group - block.row0);
      if (block.rows <= 0 || block.row0 < 0 || block.kv < 0) continue;
      if (block.live > 0) {
        const Int i0 = block.row0 / group, i1 = (block.row0 + block.live - 1) / group + 1;
        const Range reach = keys_of(block.s, i0, i1);
        block.key0 = reach.begin / kStep * kStep;
        block.key1 = reach.end;
        block.steps = reach.empty() ? 0 : tiles_of(reach.end - block.key0, kStep);
      }
      block.first = first;
      first += block.steps;
      blocks_.push_back(block);
    }
  }

  void processor(Int c, Int begin, Int end, Int total) {
    for (const Block& block : blocks_) {
      const Int t0 = std::max(begin, block.first), t1 = std::min(end, block.first + block.steps);
      if (t0 >= t1) continue;
      Partial part = steps(block, t0 - block.first, t1 - block.first);
      if (t0 > block.first) {
        publish(c, part);
        continue;
      }
      bool merged = false;
      for (Int d = c + 1; d < kProcessors && begin_of(d, total) < block.first + block.steps; ++d) {
        if (begin_of(d, total) == begin_of(d + 1, total) || !takes(block, c, d)) continue;
        await(d);
        merged = true;
        const Partial other = part_of(d);
        for (Int r = 0; r < block.live; ++r) merge(part, other, r);
      }
      store(block, part, merged);
    }
  }

  /// Steps [t0, t1) of a block.
  Partial steps(const Block& block, Int t0, Int t1) const {
    const Sequence& s = block.s;
    Partial part = fresh();
    Floats qs = filled(kBlock * dim), key = filled(kStep * dim), value = filled(kStep * value_dim), x = filled(kStep);
    for (Int r = 0; r < block.live; ++r) {
      const Int row = block.row0 + r;
      q.load_row(&qs[at(r * dim)], q.offset(s.place, head_of(block, row), s.first_query + row / group), dim);
      for (Int c = 0; c < dim; ++c) qs[at(r * dim + c)] *= scale();
    }
    for (Int t = t0; t < t1; ++t) {
      const Int j0 = block.key0 + t * kStep, j1 = std::min(j0 + kStep, block.key1);
      for (Int j = j0; j < j1; ++j) {
        k.load_row(&key[at((j - j0) * dim)], k.offset(s.place, block.kv, s.first_key + j), dim);
        v.load_row(&value[at((j - j0) * value_dim)], v.offset(s.place, block.kv, s.first_key + j), value_dim);
      }
      for (Int r = 0; r < block.live; ++r) {
        const Int h = head_of(block, block.row0 + r), i = query_of(block.row0 + r);
        float top = part.maximum[at(r)];
        for (Int j = j0; j < j1; ++j) {
          float& score_of = x[at(j - j0)];
          score_of = -kInfinity;
          if (!sees(s, h, i, j)) continue;
          const float x_of = product(&qs[at(r * dim)], &key[at((j - j0) * dim)], dim);
          score_of = score_of_row(block, block.row0 + r, h, i, j, x_of);
          top = score_of > top ? score_of : top;
        }
        const float shrink = weight_of(part.maximum[at(r)], top);
        float* acc = &part.acc[at(r * value_dim)];
        part.maximum[at(r)] = top;
        part.sum[at(r)] *= shrink;
        for (Int c = 0; c < value_dim; ++c) acc[c] *= shrink;
        for (Int j = j0; j < j1; ++j) {
          const float w = std::exp(x[at(j - j0)] - base_of(top));
          if (w == 0) continue;
          part.sum[at(r)] += w;
          if (kept(s, h, i, j)) add_scaled(acc, w, &value[at((j - j0) * value_dim)], value_dim);
        }
      }
    }
    return part;
  }
  float score_of_row(const Block& block, Int row, Int h, Int i, Int j, float x) const {
    if (!slopes || bias) return score(block.s, h, i, j, x);
    if (a.softcap > 0) x = static_cast<float>(a.softcap) * std::tanh(x / static_cast<float>(a.softcap));
    return x - slope_of_row(block, row) * static_cast<float>(distance_of_row(block, i, j));
  }

  void store(const Block& block, Partial part, bool merged) const {
    for (Int r = 0; r < block.rows; ++r) {
      const Int h = head_of(block, block.row0 + r), i = query_of(block.row0 + r);
      float m = -kInfinity, l = 0, factor = keep_factor();
      if (r < block.live) m = part.maximum[at(r)], l = part.sum[at(r)];
      if (sink) {
        const float logit = sink_of(h), top = logit > m ? logit : m;
        const float shrink = m == top ? 1.0f : m == -kInfinity ? (l == 0 ? 0.0f : 1.0f) : std::exp(m - top);
        l = l * shrink + std::exp(logit - base_of(top));
        factor *= shrink;
        m = top;
      }
      const Int to = out_at(block, h, i, merged);
      for (Int c = 0; c < value_dim; ++c)
        out.store(to + c * out.stride[3],
                  r >= block.live || l == 0 ? 0.0f : part.acc[at(r * value_dim + c)] * factor / l);
      lse.store(lse_at(block, h, i), l == 0 ? -kInfinity : base_of(m) + std::log(l));
    }
  }
};

}  // namespace attestone::inline mutants::fragments
