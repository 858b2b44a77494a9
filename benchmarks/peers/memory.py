# SPDX-License-Identifier: Apache-2.0
"""How much memory a call takes that this process did not hold before."""
import re


def kibibytes(field):
    with open("/proc/self/status") as status:
        return int(re.search(rf"^{field}:\s+(\d+)", status.read(), re.MULTILINE).group(1))


def first_call_bytes(call):
    """Bytes that the first call adds to the resident memory at its peak, its answer among them; and its result."""
    try:
        with open("/proc/self/clear_refs", "w") as clear:
            clear.write("5")  # the peak begins anew
    except OSError:
        pass
    before = kibibytes("VmRSS")
    result = call()
    return max(kibibytes("VmHWM") - before, 1) * 1024, result
