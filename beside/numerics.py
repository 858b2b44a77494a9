# SPDX-License-Identifier: Apache-2.0
"""What a system is declared to round (docs/tolerance.md), where it does not say so itself."""

# What one device computes: torch's attention for CPUs, whose exponential errs by 20 ulp.
LOCAL = "exp_error=0x1.4p-19"
# What rings merge in f32, of parts that are stored in the format of the inputs.
MERGED = "merge.form=sigmoid merge.parts={ring} merge.visits=any merge.log_sum_exp_roundoff=0x1p-24 "
STORED = {"f32": "merge.out.roundoff=0x1p-24 merge.out.underflow=0x1p-126",
          "bf16": "merge.out.roundoff=0x1p-8 merge.out.underflow=0x1p-126 gradient.part.roundoff=0x1p-8 "
                  "gradient.part.underflow=0x1p-126 gradient.parts={ring} gradient.depth=1"}


def declared(system, mesh, dtype):
    if hasattr(system, "NUMERICS"):
        return system.NUMERICS
    if mesh.ring == 1:
        return LOCAL
    return f"{LOCAL} {MERGED}{STORED[dtype]}".format(ring=mesh.ring)
