// SPDX-License-Identifier: Apache-2.0
// A quantized cache: K in int8 by channels, V in e4m3 by tokens.
#include "../hosts/rows.hpp"

DOOR_EXPORT(rows::Attention<rows::Cache<rows::CachePlaces>>)
