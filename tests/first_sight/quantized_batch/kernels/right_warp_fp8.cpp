// SPDX-License-Identifier: Apache-2.0
// int8 by warps of K less its mean, P and V in e4m3.
#include "../hosts/tiles.hpp"

DOOR_EXPORT(tiles::Launch<tiles::WarpFp8>)
