# SPDX-License-Identifier: Apache-2.0
# The ring of examples/python, to be changed.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "python"))
sys.dont_write_bytecode = True
import ring  # noqa: E402, F401
