# SPDX-License-Identifier: Apache-2.0
# Sleeps instead of saying what it is.
# expect: usage --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
sleep 3600
