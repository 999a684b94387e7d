"""sum_no_wait - a sum on a side stream, without waiting for the stream that makes its input.

The default stream is kept busy (_sleep), then fills a tensor; the side stream sums it at once. Nothing
orders the sum after the fill, so it may read what was there before: the program prints what it got and
does not call any value wrong.

EXPECT ops kernel: >= 3
EXPECT unordered: ~FillFunctor#1 | ~reduce_kernel#1
EXPECT none: default-stream-serialization
EXPECT none: lost-records
TWIN sum_wait_stream
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
    with torch.cuda.stream(side):
        total = a.sum()
    side.synchronize()
    torch.cuda.current_stream().synchronize()
    wall_us = (time.perf_counter() - begin) * 1e6
    print("workload=sum_no_wait wall_us=%.1f right=%d" % (wall_us, total.item() == N))
    return 0


sys.exit(main())
