"""two_streams - matrix products in two side streams of PyTorch.

Twenty products a stream. PyTorch's side streams are non-blocking, so the default stream's work (the
matrices' initialization) is ordered before them by wait_stream alone, which is an event and a wait.

EXPECT streams: 3..4
EXPECT ops kernel: >= 42
EXPECT ops record: >= 2
EXPECT ops wait: >= 2
EXPECT edges: E1 >= 2
EXPECT none: default-stream-serialization
EXPECT none: pageable-copy
EXPECT none: lost-records
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

N = 1024
PRODUCTS = 20


def main():
    default = torch.cuda.current_stream()
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    # Every product is the same matrix again, so the result is known.
    matrices = [torch.full((N, N), 1.0 / N, device="cuda") for _ in streams]
    results = [None, None]
    begin = time.perf_counter()
    for i, stream in enumerate(streams):
        stream.wait_stream(default)
        with torch.cuda.stream(stream):
            x = matrices[i]
            for _ in range(PRODUCTS):
                x = x @ matrices[i]
            results[i] = x
    for stream in streams:
        stream.synchronize()
    wall_us = (time.perf_counter() - begin) * 1e6
    print("workload=two_streams wall_us=%.1f" % wall_us)
    for x in results:
        # A matrix of 1/N times itself is itself.
        if abs(x[0, 0].item() * N - 1.0) > 1e-2:
            print("wrong result: %r" % x[0, 0].item(), file=sys.stderr)
            return 1
    return 0


sys.exit(main())
