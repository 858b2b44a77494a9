// SPDX-License-Identifier: Apache-2.0
// A right kernel: a cluster of four blocks shares a row, key j going to block j mod 4; the blocks exchange their maxima
// first, then their sums, and each divides its weights before they meet V in f32. The sink is an entry of block 0.
#include "mutants/hosts/fragments/expanded.hpp"
#include "mutants/hosts/fragments/kernel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fragments {
namespace {

class Cluster : public Rules {
 public:
  using Rules::Rules;
  static constexpr Int kBlocks = 4;

  void run() override {
    for (Int b = 0; b < a.batch; ++b) {
      const Sequence s = sequence(b);
      for (Int h = 0; h < a.heads; ++h)
        for (Int i = 0; i < s.query_rows; ++i) row(s, h, i);
    }
  }

 private:
  struct Share {
    std::vector<Int> keys;
    Floats scores;
  };
  void row(const Sequence& s, Int h, Int i) const {
    Floats query = filled(dim), key = filled(dim), value = filled(value_dim), total = filled(value_dim);
    std::vector<Share> shares(at(kBlocks));
    q.load_row(query.data(), q.offset(s.place, h, s.first_query + i), dim);
    for (Int j = 0; i < s.queries && j < s.keys; ++j) {
      if (!sees(s, h, i, j)) continue;
      k.load_row(key.data(), k.offset(s.place, h / group, s.first_key + j), dim);
      Share& share = shares[at(j % kBlocks)];
      share.keys.push_back(j);
      share.scores.push_back(score(s, h, i, j, product(query.data(), key.data(), dim) * scale()));
    }
    if (sink) shares[0].keys.push_back(-1), shares[0].scores.push_back(sink_of(h));
    float maximum = -kInfinity, sum = 0;
    for (const Share& share : shares)
      for (const float x : share.scores) maximum = x > maximum ? x : maximum;
    const float base = maximum == -kInfinity ? 0.0f : maximum;
    for (Share& share : shares) {
      float part = 0;
      for (float& x : share.scores) part += x = std::exp(x - base);
      sum += part;
    }
    for (const Share& share : shares) {
      Floats part = filled(value_dim);
      for (Int n = 0; n < static_cast<Int>(share.keys.size()); ++n) {
        const Int j = share.keys[at(n)];
        if (j < 0 || share.scores[at(n)] == 0 || !kept(s, h, i, j)) continue;
        v.load_row(value.data(), v.offset(s.place, h / group, s.first_key + j), value_dim);
        add_scaled(part.data(), share.scores[at(n)] / sum * keep_factor(), value.data(), value_dim);
      }
      add_scaled(total.data(), 1.0f, part.data(), value_dim);
    }
    out.store_row(total.data(), out.offset(s.place, h, s.first_query + i), value_dim);
    lse.store(lse.offset(s.place, h, s.first_query + i), sum == 0 ? -kInfinity : base + std::log(sum));
  }
};

const Registration<Twin> registered{{
    .name = "right_cluster",
    .summary = "four blocks share a row, and exchange maxima and sums before V",
    .batch = "fourth",
    .kernel = [] { return kernel<Cluster, Expanded>("right_cluster"); },
}};

}  // namespace
}  // namespace attestone::inline mutants::fragments
