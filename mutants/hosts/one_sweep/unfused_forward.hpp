// SPDX-License-Identifier: Apache-2.0
// Host 3: the fallback. The scores of a row are written out, masked, put through a softmax, and multiplied with V.
#pragma once
#include "mutants/hosts/one_sweep/call.hpp"

namespace attestone::inline mutants::one_sweep {

class UnfusedForward : public Forward {
 public:
  void run(const Call& c) override {
    call = &c;
    for (int64_t b = 0; b < c.a.batch; ++b)
      for (int64_t h = 0; h < c.a.heads; ++h) {
        const Unit u = c.unit(b, h);
        for (int64_t i = 0; i < c.rows_of(b); ++i) {
          if (i >= u.queries)
            c.write_empty(b, h, i);
          else
            row(u, i);
        }
      }
  }

 protected:
  const Call* call = nullptr;

  virtual float bias(const Unit& u, int64_t i, int64_t j) const {
    return call->bias ? call->bias.get(u.b, u.h, i, j) : 0;
  }
  virtual float score(const Unit& u, int64_t i, int64_t j) const {
    float s = 0;
    for (int64_t d = 0; d < call->a.dim; ++d)
      s += call->query.get(u.b, u.h, i, d) * call->key.get(u.b, u.kv_head, j, d);
    s = call->softcapped(s * call->scale);
    if (call->slopes) s += call->alibi(call->slopes.get(u.h), i + u.shift, j);
    return s + bias(u, i, j);
  }
  bool seen(const Unit& u, int64_t i, int64_t j) const { return call->visible(u, i, j) && bias(u, i, j) != -kInfinity; }
  /// The score that stands for a pair in the row: minus infinity for a hidden one.
  virtual float masked_score(const Unit& u, int64_t i, int64_t j) const {
    return seen(u, i, j) ? score(u, i, j) : -kInfinity;
  }
  /// True if the product with V leaves the pair out.
  virtual bool left_out(const Unit& u, int64_t i, int64_t j, float /*p*/) const { return !seen(u, i, j); }
  virtual float sum(const std::vector<float>& p) const {
    float l = 0;
    for (const float x : p) l += x;
    return l;
  }

  virtual void row(const Unit& u, int64_t i) {
    const auto keys = static_cast<size_t>(u.keys);
    std::vector<float> p(keys), o(static_cast<size_t>(call->a.value_dim), 0.0f);
    const float z = call->sink(u.h);
    bool any = false;
    float m = z > -kInfinity ? z : -kInfinity;
    for (size_t j = 0; j < keys; ++j) {
      p[j] = masked_score(u, i, static_cast<int64_t>(j));
      any = any || seen(u, i, static_cast<int64_t>(j));
      if (p[j] > m) m = p[j];
    }
    if (!any) return call->write_empty(u.b, u.h, i);
    const float m_used = m == -kInfinity ? 0 : m;
    for (float& x : p) x = std::exp(x - m_used);
    const float of_sink = z == -kInfinity ? 0 : std::exp(z - m_used);
    const float l = sum(p) + of_sink;
    for (size_t j = 0; j < keys; ++j) {
      const auto key = static_cast<int64_t>(j);
      if (left_out(u, i, key, p[j])) continue;
      for (int64_t d = 0; d < call->a.value_dim; ++d)
        o[static_cast<size_t>(d)] += p[j] * call->value.get(u.b, u.kv_head, key, d);
    }
    for (int64_t d = 0; d < call->a.value_dim; ++d)
      call->out.set(l == 0 ? 0 : o[static_cast<size_t>(d)] / l, u.b, u.h, i, d);
    float exact = of_sink;
    for (const float x : p) exact += x;
    call->log_sum_exp.set(m_used + std::log(exact), u.b, u.h, i);
  }
};

}  // namespace attestone::inline mutants::one_sweep
