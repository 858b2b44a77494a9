# SPDX-License-Identifier: Apache-2.0
# Ends well before it is asked anything.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
exit 0
