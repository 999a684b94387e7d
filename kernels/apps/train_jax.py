"""train_jax - 200 training steps in JAX: XLA's own streams, graphs whose nodes it changes before each launch, host functions.

EXPECT streams: >= 3
EXPECT ops graph: >= 100
EXPECT none: lost-records
"""
import sys
import time

try:
    import jax
    import jax.numpy as jnp
except ImportError as reason:
    print("skipped: no JAX: %s" % reason, file=sys.stderr)
    sys.exit(77)
if jax.default_backend() != "gpu":
    print("skipped: no usable GPU: JAX runs on %s" % jax.default_backend(), file=sys.stderr)
    sys.exit(77)

N, LAYERS, STEPS = 512, 6, 200


def loss_of(weights, x, y):
    for w in weights:
        x = jnp.tanh(x @ w)
    return ((x - y) ** 2).mean()


def main():
    key = jax.random.PRNGKey(0)
    weights = [jax.random.normal(jax.random.fold_in(key, i), (N, N)) * 0.05 for i in range(LAYERS)]
    step = jax.jit(lambda ws, x: [w - 0.1 * g for w, g in zip(ws, jax.grad(loss_of)(ws, x, x))])
    begin = time.perf_counter()
    for i in range(STEPS):
        weights = step(weights, jax.random.normal(jax.random.fold_in(key, 100 + i), (256, N)))
        if i % 20 == 0:
            float(weights[0].sum())
    total = float(weights[1].sum())
    print("workload=train_jax wall_us=%.1f" % ((time.perf_counter() - begin) * 1e6))
    if total != total:
        print("wrong result: not a number", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
