# SPDX-License-Identifier: Apache-2.0
"""Programs whose description is wrong, or that do harm when they are asked for it."""

import os
import signal
import time

import honest


# Answers what it is with a message of no bytes.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_nothing_at_all():
    if honest.receive() is not None:
        honest.write(bytes(8))
    honest.serve()


# Says twice what it is.
# expect: wrong-protocol|usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_twice():
    if honest.receive() is not None:
        honest.write(2 * honest.message({"__metadata__": {"name": "twice", "limits": honest.LIMITS}}))
    honest.serve()


# Its name is a number.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_a_number():
    honest.serve(description={"name": 17})


# Its name has a million letters.
# expect: wrong-number|usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_a_megabyte():
    honest.serve(honest.wrong, description={"name": "x" * 1_000_000})


# Declares half a million words, each of which would be kept with all the others.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_a_megabyte_of_numerics():
    honest.serve(honest.wrong, description={"numerics": "x " * 500_000})


# Declares the same number eighty thousand times, which would be read again for every problem.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_one_number_again_and_again():
    honest.serve(honest.wrong, description={"numerics": "exp_error=0 " * 80_000})


# Its name erases the screen and holds a report of its own, in every format.
# expect: wrong-number --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_with_a_report():
    honest.serve(honest.wrong, description={"name": honest.REPORT})


# Says that it takes at most minus three keys.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_wrong_limits():
    honest.serve(description={"limits": "max_keys=-3"})


# Says in 5 KB what it takes, and the last words count: two channels at most.
# expect: refused --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_long_limits():
    honest.serve(honest.wrong, description={"limits": honest.LIMITS + " " * 5_000 + "max_dim=2"})


# Declares that whatever it answers is rounded so.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_infinite_roundoff():
    honest.serve(honest.wrong, description={"numerics": "output_roundoff=inf"})


# Declares a roundoff that compares with nothing.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_no_number():
    honest.serve(honest.wrong, description={"numerics": "output_roundoff=nan"})


# Declares a field of arithmetic that there is not.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_what_there_is_not():
    honest.serve(description={"numerics": "forgiveness=1"})


# Says that its logarithms are decimal.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_wrong_conventions():
    honest.serve(description={"conventions": "lse=log10"})


# Says that it computes gradients, and answers them as if they were a forward pass.
# expect: wrong-protocol --property=gradient_bound 'shape=1x1x2x3x4 pass=forward+backward'
@honest.program
def describes_passes_it_has_not():
    honest.serve(description={"passes": "forward+backward"})


# Says that it computes what nobody asks for.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def describes_passes_there_are_not():
    honest.serve(description={"passes": "sideways"})


# Ends by a signal when it is asked what it is.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def crashes_in_describe():
    if honest.receive() is not None:
        os.kill(os.getpid(), signal.SIGSEGV)
    honest.serve()


# Waits for ever when it is asked what it is.
# expect: usage --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def hangs_in_describe():
    if honest.receive() is not None:
        time.sleep(3600)
    honest.serve()


# Answers what it is with a tensor.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def decoy_describes_by_a_tensor():
    if honest.receive() is not None:
        honest.write(honest.message({"name": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, bytes(4)))
    honest.serve()


honest.main()
