# SPDX-License-Identifier: Apache-2.0
# Sends zeros without end.
# expect: usage|wrong-protocol --timeout=5s --property=value_bound 'shape=1x1x2x3x4'
exec cat /dev/zero
