// SPDX-License-Identifier: Apache-2.0
// int8 of Q and K with a scale for each token, all else in f32.
#include "../hosts/rows.hpp"

DOOR_EXPORT(rows::Attention<rows::TokenInt8<rows::TokenRule>>)
