"""bench_step - a launch-bound training step of 20 small layers, for tools/bench_overhead.sh.

Prints `bench step_ms=...`: milliseconds a step, best of five batches of 60 steps. With an argument
`profiler`, PyTorch's own profiler records the CUDA activities meanwhile, as a yardstick.
"""
import sys
import time

try:
    import torch
except ImportError as reason:
    print("skipped: no PyTorch: %s" % reason, file=sys.stderr)
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: no usable GPU: torch.cuda.is_available() is false", file=sys.stderr)
    sys.exit(77)

torch.manual_seed(1)
model = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(20)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
batch = torch.randn(32, 64, device="cuda")


def steps(count):
    begin = time.perf_counter()
    for _ in range(count):
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) * 1e3 / count


steps(30)  # warm-up
if sys.argv[1:] == ["profiler"]:
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]):
        best = min(steps(60) for _ in range(5))
else:
    best = min(steps(60) for _ in range(5))
print("bench step_ms=%.3f" % best)
