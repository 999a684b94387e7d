"""streams_cupy - products and Fourier transforms in CuPy on four streams, two of them blocking, each waiting for the one before it.

Arrays come from pageable memory, and the memory pool is emptied now and then.

EXPECT streams: >= 5
EXPECT ops kernel: >= 100
EXPECT edges: E1 >= 30
EXPECT none: lost-records
"""
import sys
import time

try:
    import cupy
    import numpy
except ImportError as reason:
    print("skipped: no CuPy: %s" % reason, file=sys.stderr)
    sys.exit(77)
if not cupy.cuda.is_available():
    print("skipped: no usable GPU: cupy.cuda.is_available() is false", file=sys.stderr)
    sys.exit(77)

N, ROUNDS = 256, 40


def main():
    streams = [cupy.cuda.Stream(non_blocking=i % 2 == 0) for i in range(4)]
    sums = []
    begin = time.perf_counter()
    for i in range(ROUNDS):
        with streams[i % 4] as stream:
            a = cupy.asarray(numpy.random.RandomState(i).rand(N, N))
            sums.append(cupy.abs(cupy.fft.fft2(a @ a)).sum())
            streams[(i + 1) % 4].wait_event(stream.record())
            if i % 7 == 0:
                cupy.get_default_memory_pool().free_all_blocks()
    total = sum(float(x) for x in sums)
    cupy.cuda.Device().synchronize()
    print("workload=streams_cupy wall_us=%.1f" % ((time.perf_counter() - begin) * 1e6))
    if not total > 0:
        print("wrong result: %s" % total, file=sys.stderr)
        return 1
    return 0


sys.exit(main())
