// SPDX-License-Identifier: Apache-2.0
// What both backward hosts share: rows of log_sum_exp and delta, a pair's weight and dS, and the images of dbias and
// dsink.
#pragma once
#include "mutants/hosts/fragments/rules.hpp"

namespace attestone::inline mutants::fragments {

/// The gradients that a pair sends back.
struct Pair {
  float weight = 0;   // what meets dO in dV
  float ds = 0;       // what meets K in dQ and Q in dK, without the scale
  float bias_ds = 0;  // what the bias receives
  bool any = false;
};

class BackwardRules : public Rules {
 public:
  using Rules::Rules;

 protected:
  virtual float lse_at(const Sequence& s, Int h, Int i) const {
    return lse.load(lse.offset(s.place, h, s.first_query + i));
  }
  float delta_at(const Sequence& s, Int h, Int i) const {
    const Int x = out.offset(s.place, h, s.first_query + i), y = dout.offset(s.place, h, s.first_query + i);
    float sum = 0.0f;
    for (Int c = 0; c < value_dim; ++c) sum += out.load(x + c * out.stride[3]) * dout.load(y + c * dout.stride[3]);
    return sum;
  }
  Int dq_at(const Sequence& s, Int h, Int i) const { return dq.offset(s.place, h, s.first_query + i); }
  Int dk_at(const Sequence& s, Int kv, Int j) const { return dk.offset(s.place, kv, s.first_key + j); }
  virtual Int dv_at(const Sequence& s, Int kv, Int j) const { return dv.offset(s.place, kv, s.first_key + j); }

  Pair pair(const Sequence& s, Int h, Int i, Int j, const float* query, const float* key, const float* gradient,
            const float* value, float row_lse, float delta) const {
    Pair p;
    float derivative = 1.0f;
    const float x = score(s, h, i, j, product(query, key, dim) * scale(), &derivative);
    const float weight = std::exp(x - row_lse);
    if (weight == 0) return p;
    p.any = true;
    const bool keep = kept(s, h, i, j);
    p.weight = keep ? weight * keep_factor() : 0.0f;
    const float ds = weight * ((keep ? keep_factor() * product(gradient, value, value_dim) : 0.0f) - delta);
    p.bias_ds = ds;
    p.ds = ds * derivative;
    return p;
  }

  /// f32 images of dbias and dsink, converted at the end.
  void begin_images() {
    bias_image_ = filled(dbias ? dbias.extent[0] * dbias.extent[1] * dbias.extent[2] * dbias.extent[3] : 0);
    sink_image_ = filled(a.heads);
  }
  void add_bias(const Sequence& s, Int h, Int i, Int j, float ds) {
    if (!dbias) return;
    const Int* e = dbias.extent;
    const Int b = e[0] == 1 ? 0 : s.number, g = e[1] == 1 ? 0 : h, row = e[2] == 1 ? 0 : i, column = e[3] == 1 ? 0 : j;
    bias_image_[at(((b * e[1] + g) * e[2] + row) * e[3] + column)] += ds;
  }
  void add_sink(Int h, float row_lse, float delta) {
    if (!sink || sink_of(h) == -kInfinity) return;
    // No sink outweighs its row, even where a log_sum_exp beyond the format has lost by how much.
    sink_image_[at(h)] -= std::exp(std::min(sink_of(h) - row_lse, 0.0f)) * delta;
  }
  void end_images() const {
    if (dbias) {
      const Int* e = dbias.extent;
      for (Int b = 0, n = 0; b < e[0]; ++b)
        for (Int h = 0; h < e[1]; ++h)
          for (Int i = 0; i < e[2]; ++i)
            for (Int j = 0; j < e[3]; ++j) dbias.store(dbias.offset(b, h, i, j), bias_image_[at(n++)]);
    }
    if (dsink)
      for (Int h = 0; h < a.heads; ++h) dsink.store(h * dsink.stride[0], sink_image_[at(h)]);
  }

 private:
  Floats bias_image_, sink_image_;
};

}  // namespace attestone::inline mutants::fragments
