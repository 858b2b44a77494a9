// SPDX-License-Identifier: Apache-2.0
// WRONG: scales of V are those of kv head h mod kv_heads, where a query's head h reads the codes of h / (heads /
// kv_heads).
#include "../hosts/rows.hpp"

namespace {

struct TiledHeads : rows::CachePlaces {
  static int64_t value_scale_head(const attestone_args& a, int64_t h) { return h % a.kv_heads; }
};

}  // namespace

DOOR_EXPORT(rows::Attention<rows::Cache<TiledHeads>>)
