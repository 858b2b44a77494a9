// SPDX-License-Identifier: Apache-2.0
// The certified forward pass: double tiles first, then whatever their bound leaves open.
#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <omp.h>

#include "reference/certified/forward/head_pass.hpp"
#include "reference/certified/forward/truth.hpp"
#include "reference/certified/numbers/certified_environment.hpp"
#include "reference/require.hpp"

namespace attestone {
namespace {

std::vector<index> chosen_queries(const Problem& problem, const CertifyOptions& options) {
  std::vector<index> queries;
  if (options.queries) {
    queries = *options.queries;
    require(std::adjacent_find(queries.begin(), queries.end(), std::greater_equal<index>()) == queries.end(),
            "the chosen queries ascend");
    require(queries.empty() || (queries.front() >= 0 && queries.back() < problem.shape.queries),
            "the chosen queries are rows of the problem");
  } else {
    queries.resize(static_cast<std::size_t>(problem.shape.queries));
    std::iota(queries.begin(), queries.end(), index{0});
  }
  return queries;
}

void add(Decisions& sum, const Decisions& d) {
  sum.in_double_double += d.in_double_double;
  sum.in_mpfr += d.in_mpfr;
  sum.ties += d.ties;
  sum.undecided += d.undecided;
}

/// Calls take(head, piece) for every piece of every head, shared among the threads of the team; a barrier follows.
template <class Count, class Take>
void share(std::vector<std::unique_ptr<HeadPass>>& heads, Count count, Take take) {
  std::vector<index> ends{0};  // ends[h] = pieces of the first h heads
  for (const auto& head : heads) ends.push_back(ends.back() + count(*head));
#pragma omp for schedule(dynamic)
  for (index piece = 0; piece < ends.back(); ++piece) {
    const auto head = static_cast<std::size_t>(std::ranges::upper_bound(ends, piece) - ends.begin()) - 1;
    take(*heads[head], piece - ends[head]);
  }
}

/// Certifies the rows of some kv heads, with as many threads as there are.
void certify_heads(const Problem& problem, std::vector<std::unique_ptr<HeadPass>>& heads, bool escalate, bool parallel,
                   Decisions& total) {
  std::mutex adding;
#pragma omp parallel if (parallel)
  {
    const CertifiedEnvironment environment;  // of this thread of the team
    share(heads, std::mem_fn(&HeadPass::words), [](HeadPass& head, index word) { head.decode_word(word); });
#pragma omp single
    for (const auto& head : heads) head->conclude_decoding();
    {
      TileWorkspace work(problem.shape, heads.front()->tiles_per_piece());
      share(heads, std::mem_fn(&HeadPass::pieces), [&](HeadPass& head, index i) { head.certify_tiles(i, work); });
    }
#pragma omp single
    for (const auto& head : heads) head->collect_open_rows();
    Decisions decisions;
    share(heads, std::mem_fn(&HeadPass::groups),
          [&](HeadPass& head, index group) { head.finish(group, escalate, decisions); });
    const std::lock_guard lock(adding);
    add(total, decisions);
  }
}

/// Below this many multiply-adds, about 100 microseconds, waking a second thread costs more than it saves.
constexpr double least_parallel_work = 2e6;
/// Decoded heads are held together while a second cache holds them, and until there is work for all threads; but only
/// up to so many doubles, so that memory does not grow with the number of heads.
constexpr index cached_doubles = index{1} << 17, most_decoded_doubles = index{1} << 26;
constexpr index tiles_per_thread = 64;

index heads_at_once(const Shape& s, index rows) {
  const index doubles = s.keys * (s.dim + s.value_dim) + 1, threads = omp_get_max_threads();
  const index tiles = std::max<index>(1, s.heads / s.kv_heads * rows / rows_per_tile);
  const index wanted = std::max(cached_doubles / doubles, threads == 1 ? 1 : tiles_per_thread * threads / tiles);
  return std::clamp<index>(wanted, 1, std::max<index>(1, most_decoded_doubles / doubles));
}

Truth certify(const Problem& problem, const Inputs& inputs, const CertifyOptions& options) {
  const Shape& s = problem.shape;
  Truth truth(problem, chosen_queries(problem, options));
  const auto rows = static_cast<index>(truth.queries().size());
  const double work =
      static_cast<double>(s.batch * s.heads * rows) * static_cast<double>(s.keys * (s.dim + s.value_dim));
  const index heads_at_once = attestone::heads_at_once(s, rows);

  std::vector<Visibility> visibilities;
  for (index batch = 0; batch < s.batch && rows > 0; ++batch)
    visibilities.emplace_back(problem, inputs, batch, truth.queries());
  const index heads = rows > 0 ? s.batch * s.kv_heads : 0;
  for (index first = 0; first < heads; first += heads_at_once) {
    std::vector<std::unique_ptr<HeadPass>> passes;
    for (index head = first; head < std::min(first + heads_at_once, heads); ++head) {
      const index batch = head / s.kv_heads;
      passes.push_back(std::make_unique<HeadPass>(problem, inputs, batch, head % s.kv_heads,
                                                  visibilities[static_cast<std::size_t>(batch)], truth));
    }
    certify_heads(problem, passes, options.escalate, work >= least_parallel_work, truth.decisions);
  }
  Decisions& d = truth.decisions;
  d.in_double = s.batch * s.heads * rows * (s.value_dim + 1) - d.in_double_double - d.in_mpfr - d.undecided;
  return truth;
}

}  // namespace

Truth certify_forward(const Problem& problem, const Inputs& inputs, const CertifyOptions& options) {
  return in_certified_environment([&] { return certify(problem, inputs, options); });
}

}  // namespace attestone
