"""sum_wait_stream - a sum on a side stream that first waits for the stream that makes its input.

The default stream is kept busy (_sleep), then fills a tensor; the side stream waits for it (wait_stream:
an event record and a wait) and sums it, so the sum is right.

EXPECT ops kernel: >= 3
EXPECT ops record: >= 1
EXPECT ops wait: >= 1
EXPECT edges: E1 >= 1
EXPECT ordered: ~FillFunctor#1 -> ~reduce_kernel#1
EXPECT none: default-stream-serialization
EXPECT none: lost-records
TWIN sum_no_wait
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

N = 1 << 20


def main():
    side = torch.cuda.Stream()
    a = torch.empty(N, device="cuda")
    begin = time.perf_counter()
    torch.cuda._sleep(20_000_000)
    a.fill_(1.0)
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        total = a.sum()
    side.synchronize()
    torch.cuda.current_stream().synchronize()
    wall_us = (time.perf_counter() - begin) * 1e6
    print("workload=sum_wait_stream wall_us=%.1f right=%d" % (wall_us, total.item() == N))
    return 0 if total.item() == N else 1


sys.exit(main())
