# SPDX-License-Identifier: Apache-2.0
"""Philox4x32-10, the counter-based random numbers of Salmon, Moraes, Dror and Shaw (SC 2011), on whole arrays of counters."""
import numpy as np

MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
WEYL = (0x9E3779B9, 0xBB67AE85)  # the golden ratio and sqrt(3) - 1, as 32-bit fractions
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


def philox(counter, seed, rounds=10):
    """The four words of each counter: four arrays (or numbers) that broadcast to one shape give four uint64 arrays of words.
    The key is the 64-bit seed, its low word first."""
    c0, c1, c2, c3 = (np.asarray(word, dtype=np.uint64) & LOW for word in np.broadcast_arrays(*counter))
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(rounds):
        first, second = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = (second >> HALF) ^ c1 ^ np.uint64(k0), second & LOW, (first >> HALF) ^ c3 ^ np.uint64(k1), first & LOW
        k0, k1 = (k0 + WEYL[0]) & 0xFFFFFFFF, (k1 + WEYL[1]) & 0xFFFFFFFF
    return c0, c1, c2, c3
