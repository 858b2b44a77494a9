// SPDX-License-Identifier: Apache-2.0
// A call of the C interface, read once for all hosts: its tensors, sequences, mask, bias, sinks and dropout.
#pragma once

#include <cstddef>

#include "mutants/hosts/reading/philox.hpp"
#include "mutants/hosts/reading/sequences.hpp"
#include "mutants/hosts/reading/tensor.hpp"

namespace attestone::inline mutants::reading {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

struct Call {
  const attestone_args& a;
  Tensor query, key, value, mask, bias, sink, slopes, out, log_sum_exp, max_logits;
  Tensor dout, dquery, dkey, dvalue, dbias, dsink;
  Int group;  ///< query heads of one kv head
  Band band;

  explicit Call(const attestone_args& args)
      : a(args),
        query(args.query),
        key(args.key),
        value(args.value),
        mask(args.mask),
        bias(args.bias),
        sink(args.sink),
        slopes(args.alibi_slopes),
        out(args.out),
        log_sum_exp(args.log_sum_exp),
        max_logits(has_max_logits(args) ? Tensor(args.max_logits) : Tensor()),
        dout(args.dout),
        dquery(args.dquery),
        dkey(args.dkey),
        dvalue(args.dvalue),
        dbias(args.dbias),
        dsink(args.dsink),
        group(args.kv_heads > 0 ? args.heads / args.kv_heads : 0),
        band(band_of(args)) {}

  bool ragged() const { return is_ragged(a); }
  /// True if all sequences are as long as the extents say.
  bool uniform() const { return !ragged() && a.query_lengths.data == nullptr && a.key_lengths.data == nullptr; }
  Sequence sequence(Int b) const { return sequence_of(a, b); }

  float scale() const { return static_cast<float>(a.scale); }
  float softcap() const { return static_cast<float>(a.softcap); }

  /// A mask is given by its band or by bytes; `mask_byte` reads the one of a pair.
  bool masked_by_bytes() const { return a.mask_form == ATTESTONE_MASK_BYTES; }
  bool mask_byte(Int number, Int h, Int i, Int j) const {
    return static_cast<const std::uint8_t*>(mask.data)[mask.offset(number, h, i, j)] != 0;
  }
  /// True if the mask shows key j to query i, both within their sequence.
  bool shows(const Sequence& s, Int h, Int i, Int j) const {
    return masked_by_bytes() ? mask_byte(s.number, h, i, j) : band.shows(i + s.shift, j);
  }

  float sink_of(Int h) const { return sink ? sink.get(h) : -infinity; }
  float bias_of(Int number, Int h, Int i, Int j) const { return bias.get(number, h, i, j); }
  /// The term that ALiBi adds to a score.
  float alibi(const Sequence& s, Int h, Int i, Int j) const {
    const Int distance = i + s.shift - j;
    return -slopes.get(h) * static_cast<float>(distance < 0 ? -distance : distance);
  }

  bool drops() const { return a.dropout > 0; }
  bool kept(Int number, Int h, Int i, Int j) const {
    return !drops() || philox_word(a.dropout_seed, number, h, i, j) >= dropout_threshold(a.dropout);
  }
  float keep_factor() const { return reading::keep_factor(a.dropout); }

 private:
  static bool has_max_logits(const attestone_args& a) {
    return a.size >= offsetof(attestone_args, max_logits) + sizeof(attestone_tensor);
  }
};

}  // namespace attestone::inline mutants::reading
