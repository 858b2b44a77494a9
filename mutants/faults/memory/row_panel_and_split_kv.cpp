// SPDX-License-Identifier: Apache-2.0
// Rows of K that are found by a narrow offset, or kept from an earlier call.
#include <array>
#include <map>
#include <memory>

#include "mutants/hosts/row_panels/kernel.hpp"
#include "mutants/hosts/row_panels/right.hpp"
#include "mutants/hosts/row_panels/row_panel.hpp"
#include "mutants/hosts/row_panels/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::row_panels {
namespace {

/// Shows where a row of K lies 2^31 elements or more behind the first.
struct KeyOffsetIn32Bits : SplitKv {
  /// A real int would be negative now and then, and end the process.
  Int key_offset(const RowCall& call, const Sequence& s, Int kv_head, Int j) const override {
    return SplitKv::key_offset(call, s, kv_head, j) & 0x7FFFFFFF;
  }
};

/// Shows from the second call of a kernel on, with other keys at the same place.
struct PackedKeysCachedByAddress : RowPanel {
  using Cache = std::map<std::array<Int, 6>, Floats>;
  explicit PackedKeysCachedByAddress(std::shared_ptr<Cache> known) : known_(std::move(known)) {}

  /// The address is not part of the key: in this process it is that of the call before or not, as memory happens to be.
  void pack_keys(const RowCall& call, const Sequence& s, Int kv_head, Floats& panels) const override {
    const std::array<Int, 6> key{call.key.offset(s.place, kv_head, s.first_key),
                                 s.keys,
                                 call.a.dim,
                                 call.key.stride[2],
                                 call.key.stride[3],
                                 static_cast<Int>(call.key.format)};
    const auto found = known_->find(key);
    if (found != known_->end()) {
      panels = found->second;
      return;
    }
    RowPanel::pack_keys(call, s, kv_head, panels);
    known_->emplace(key, panels);
  }

 private:
  std::shared_ptr<Cache> known_;
};

const Registrations<Mutant> registered{
    {.name = "key_offset_in_32_bits",
     .summary = "the offset of a row of K is kept in an int",
     .source = "vllm-project/vllm #50427, Dao-AILab/flash-attention PR #1500",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1 layout=bhsd+key/sparse",
     .batch = "fifth",
     .kernel = [] { return row_kernel<KeyOffsetIn32Bits>("key_offset_in_32_bits"); },
     .twin = right_split_kv},
    {.name = "packed_keys_cached_by_address",
     .summary = "packed keys are kept for later calls by the place, the extents and the strides of K, whatever it "
                "holds by then",
     .source = "tensorflow/tensorflow PR #56218",
     .property = "channel_order_irrelevant",
     .reason = "channels",
     .problem = "shape=1x1x8x16x8",
     .batch = "fifth",
     .kernel =
         [] {
           return row_kernel<PackedKeysCachedByAddress>("packed_keys_cached_by_address",
                                                        std::make_shared<PackedKeysCachedByAddress::Cache>());
         },
     .twin = right_row_panel},
};

}  // namespace
}  // namespace attestone::inline mutants::row_panels
