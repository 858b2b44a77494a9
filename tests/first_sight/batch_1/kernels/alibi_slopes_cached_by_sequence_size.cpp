// SPDX-License-Identifier: Apache-2.0
// The slopes of a call are kept for the next one of the same queries and keys; the number of heads is not part of the
// key. ml-explore/mlx pull request 3071 ("removes broken class-level caching") on issue 343. Shows from the second call
// of a process on: alibi, the same queries and keys, and fewer heads than before.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  struct Cache {
    int64_t queries = -1, keys = -1;
    std::vector<float> slopes;
  };
  static Cache& cache() {
    static Cache kept;
    return kept;
  }
  std::vector<float> slopes;
  float alibi(const Unit& u, int64_t i, int64_t j) const override {
    return slopes.empty() ? 0 : call->alibi(slopes[static_cast<size_t>(u.h)], i + u.shift, j);
  }

 public:
  void run(const Call& c) override {
    if (c.slopes.present()) {
      Cache& kept = cache();
      const auto heads = static_cast<size_t>(c.a.heads);
      if (kept.queries != c.a.queries || kept.keys != c.a.keys || kept.slopes.size() < heads) {
        kept = {c.a.queries, c.a.keys, std::vector<float>(heads)};
        for (size_t h = 0; h < heads; ++h) kept.slopes[h] = c.slopes.get(static_cast<int64_t>(h));
      }
      slopes = kept.slopes;
    }
    TiledForward::run(c);
  }
};

KERNEL(Fault, FusedBackward)
