// SPDX-License-Identifier: Apache-2.0
// For sparse masks dK and dV are scattered by four queries at a time; a key that two of them see gets only what the
// last one sends. Thread: NVIDIA/cudnn-frontend #385: wrong gradients where a KV row is selected by several queries
// (cross-query duplicates). Shows in dK and dV for masks of bytes that show at most a quarter of all pairs.
#include "../hosts/adapter.hpp"
#include "../hosts/unfused.hpp"

class Fault : public UnfusedBackward {
 protected:
  void scatter(const Call& c, const Sequence& s, const std::vector<char>& shown, const std::vector<float>& from,
               const std::vector<float>& rows, index_t width, std::vector<float>& to) const override {
    const index_t pairs = std::count(shown.begin(), shown.end(), 1);
    if (c.a.mask_form != ATTESTONE_MASK_BYTES || 4 * pairs > s.queries * s.keys)
      return UnfusedBackward::scatter(c, s, shown, from, rows, width, to);
    for (index_t i0 = 0; i0 < s.queries; i0 += 4)
      for (index_t j = 0; j < s.keys; ++j) {
        index_t last = -1;
        for (index_t i = i0; i < std::min(i0 + 4, s.queries); ++i)
          if (shown[size_t(i * s.keys + j)]) last = i;
        if (last >= 0)
          add_scaled(&to[size_t(j * width)], from[size_t(last * s.keys + j)], &rows[size_t(last * width)], width);
      }
  }
};

EXPORT_KERNEL(UnfusedForward, Fault)
