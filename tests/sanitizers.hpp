// SPDX-License-Identifier: Apache-2.0
// Whether this build is sanitized, which some tests of limits and of harm must know.
#pragma once

namespace attestone {

#if !defined(__has_feature)
/// The sanitizer ends a program that touches memory not its own, before anything else sees it.
constexpr bool address_is_sanitized = false;
/// The sanitizer reserves more addresses than any limit allows.
constexpr bool takes_all_addresses = false;
/// OpenMP's runtime begins before the program does.
constexpr bool thread_is_sanitized = false;
#else
constexpr bool address_is_sanitized = __has_feature(address_sanitizer);
constexpr bool thread_is_sanitized = __has_feature(thread_sanitizer);
constexpr bool takes_all_addresses = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#endif

}  // namespace attestone
