// SPDX-License-Identifier: Apache-2.0
// Right: host 4 in both passes.
#include "../hosts/adapter.hpp"
#include "../hosts/unfused.hpp"
EXPORT_KERNEL(UnfusedForward, UnfusedBackward)
