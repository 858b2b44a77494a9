# SPDX-License-Identifier: Apache-2.0
# Is a program that does not exist.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
exec /nowhere/program
