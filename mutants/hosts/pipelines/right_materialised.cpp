// SPDX-License-Identifier: Apache-2.0
// A right kernel: a small kernel of its own, unfused. The scores of a row are written out, the sink is one of them,
// weights are divided by their sum first and meet V in the input format. The backward pass is the one in two kernels.
#include "mutants/hosts/pipelines/kernel.hpp"
#include "mutants/hosts/pipelines/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::pipelines {
namespace {

struct Materialised {
  static void row(const Problem& p, const Sequence& s, Index h, Index i) {
    const Index kv = h / p.group;
    Buffer q = floats(p.a.dim), k = floats(p.a.dim), v = floats(p.a.value_dim), out = floats(p.a.value_dim);
    p.query.load_row(q.data(), s.place, h, s.first_query + i, p.a.dim);
    std::vector<std::pair<Index, float>> entries;
    for (Index j = 0; j < s.keys; ++j) {
      if (!visible<Rules>(p, s, h, i, j)) continue;
      p.key.load_row(k.data(), s.place, kv, s.first_key + j, p.a.dim);
      entries.emplace_back(j, score<Rules>(p, s, h, i, j, Rules::scale(p) * dot(q.data(), k.data(), p.a.dim)));
    }
    if (entries.empty()) return write_empty_row<Rules>(p, s, h, i);
    if (p.sink) entries.emplace_back(-1, Rules::sink(p, h));
    float maximum = -kInf, sum = 0.0f;
    for (const auto& entry : entries) maximum = entry.second > maximum ? entry.second : maximum;
    const float base = maximum == -kInf ? 0.0f : maximum;
    for (auto& entry : entries) sum += entry.second = std::exp(entry.second - base);
    for (const auto& [j, weight] : entries) {
      if (j < 0 || sum == 0 || (p.a.dropout > 0 && !Rules::kept(p, s, h, i, j))) continue;
      p.value.load_row(v.data(), s.place, kv, s.first_key + j, p.a.value_dim);
      axpy(out.data(), rounded_to(p.value.format, weight / sum) * p.keep_factor(), v.data(), p.a.value_dim);
    }
    p.out.store_row(out.data(), s.place, h, s.first_query + i, p.a.value_dim);
    p.log_sum_exp.store(p.log_sum_exp.offset(s.place, h, s.first_query + i), base + std::log(sum));
  }
  static void run(const Problem& p) {
    for (Index b = 0; b < p.a.batch; ++b) {
      const Sequence s = Rules::sequence(p, b);
      for (Index h = 0; h < p.a.heads; ++h)
        for (Index i = 0; i < s.query_rows; ++i) i < s.queries ? row(p, s, h, i) : write_empty_row<Rules>(p, s, h, i);
    }
  }
};

const Registration<Twin> registered{{
    .name = "right_materialised",
    .summary = "weights of a row divided first, then rounded to the input format",
    .batch = "third",
    .kernel =
        [] {
          return kernel<Materialised, TwoPassBackward<TwoPassPolicy>>("right_materialised",
                                                                      "weights_are_normalised=yes");
        },
}};

}  // namespace
}  // namespace attestone::inline mutants::pipelines
