# SPDX-License-Identifier: Apache-2.0
# Ends with status 7 when nobody asks any more.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
import os

import honest

honest.serve()
os._exit(7)
