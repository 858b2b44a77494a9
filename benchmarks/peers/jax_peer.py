# SPDX-License-Identifier: Apache-2.0
"""JAX's dot_product_attention, compiled by XLA, forward and backward."""
import os

from prepared import Prepared


def prepare(_, problem):
    # XLA has as many threads as it believes there are processors.
    os.environ.update(JAX_PLATFORMS="cpu", NPROC=str(problem.threads))
    import jax
    import jax.numpy as jnp
    import numpy

    formats = {"f32": jnp.float32, "bf16": jnp.bfloat16, "f16": jnp.float16}
    problem.refuse(f"has no format {problem.dtype}", problem.dtype not in formats)
    problem.refuse("its causal mask is another one where queries and keys differ in number",
                   problem.is_causal and problem.queries != problem.keys)

    def placed(part):  # [batch, tokens, heads, channels]
        return jnp.asarray(part.transpose(0, 2, 1, 3), formats[problem.dtype])

    inputs = [placed(part) for part in (problem.query, problem.key, problem.value)]
    mask = jnp.asarray(problem.allowed())[None, None] if problem.mask == "window" else None

    def attention(query, key, value):
        return jax.nn.dot_product_attention(query, key, value, mask=mask, is_causal=problem.is_causal,
                                            scale=problem.scale)

    compiled = jax.jit(attention).lower(*inputs).compile()
    notes = [f"jax {jax.__version__}, NPROC={problem.threads}"]

    def array_of(out):
        return numpy.asarray(out.astype(jnp.float32)).transpose(0, 2, 1, 3)

    if not problem.backward:
        return Prepared(lambda: compiled(*inputs).block_until_ready(), array_of, notes)
    dout = placed(problem.dout)
    pull = jax.jit(lambda back, gradient: back(gradient))

    def forward():
        out, back = jax.vjp(jax.jit(attention), *inputs)
        return jax.block_until_ready(out), back

    jax.block_until_ready(pull(forward()[1], dout))

    def backward(out, back):
        jax.block_until_ready(pull(back, dout))
        return out

    return Prepared(backward, array_of, notes, before=forward)
