// SPDX-License-Identifier: Apache-2.0
// MPFR without its macros, which reach into pointers: a Number only converts to one.
#pragma once

#define MPFR_USE_NO_MACRO
#include <mpfr.h>
