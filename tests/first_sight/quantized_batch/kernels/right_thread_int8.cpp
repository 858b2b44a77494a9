// SPDX-License-Identifier: Apache-2.0
// int8 by threads of a tensor core's tile, P in f16 in numerator and denominator.
#include "../hosts/tiles.hpp"

DOOR_EXPORT(tiles::Launch<tiles::ThreadInt8>)
