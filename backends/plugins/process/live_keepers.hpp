// SPDX-License-Identifier: Apache-2.0
// The keepers that live, so that a process which ends in haste can end them, and all that they keep, before itself.
#pragma once

#include <sys/types.h>

namespace attestone::inline backends {

/// `descriptor` is this process's end of the keeper's channel: the keeper ends, with what it keeps, when that is shut.
void note_keeper(pid_t keeper, int descriptor);
void forget_keeper(pid_t keeper);

/// Ends them all and waits until they are gone, a short while at most. For a process that is about to end: whoever uses
/// an outside kernel meanwhile sees it die.
void end_keepers();

}  // namespace attestone::inline backends
