# SPDX-License-Identifier: Apache-2.0
# Sends every request back.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
exec cat
