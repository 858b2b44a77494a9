// SPDX-License-Identifier: Apache-2.0
// int8 by blocks of 128 and 64 rows, K less its mean, P in f16.
#include "../hosts/heads.hpp"

DOOR_EXPORT(heads::BlockInt8)
