# SPDX-License-Identifier: Apache-2.0
# The honest program, for scripts of the shell.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
import honest

honest.serve()
