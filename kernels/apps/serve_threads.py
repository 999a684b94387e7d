"""serve_threads - eight threads answer requests from one PyTorch model, each on a stream of its own.

A request is filled into pinned memory, copied, computed and read back; some threads wait for their event, some poll it, some do
neither. The argument is the number of requests a thread.

EXPECT streams: >= 9
EXPECT ops kernel: >= 500
EXPECT none: lost-records
EXPECT none: default-stream-serialization
"""
import sys
import threading
import time

try:
    import torch
except ImportError as reason:
    print("skipped: no PyTorch: %s" % reason, file=sys.stderr)
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: no usable GPU: torch.cuda.is_available() is false", file=sys.stderr)
    sys.exit(77)

REQUESTS = int(sys.argv[1]) if len(sys.argv) > 1 else 8
THREADS, N = 8, 1024


def main():
    torch.manual_seed(1)
    layers = [torch.nn.Sequential(torch.nn.Linear(N, N), torch.nn.ReLU()) for _ in range(8)]
    model = torch.nn.Sequential(*layers).cuda().eval()
    answers = [[] for _ in range(THREADS)]
    torch.cuda.synchronize()

    def worker(answer):
        stream = torch.cuda.Stream()
        request = torch.empty(64, N).pin_memory()
        event = torch.cuda.Event()
        with torch.no_grad(), torch.cuda.stream(stream):
            for n in range(REQUESTS):
                request.fill_(n * 0.01)
                y = model(request.to("cuda", non_blocking=True))
                event.record(stream)
                if n % 3 == 0:
                    event.synchronize()
                while n % 3 == 1 and not event.query():
                    pass
                answer.append(y.mean().item())

    threads = [threading.Thread(target=worker, args=(answer,)) for answer in answers]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("workload=serve_threads wall_us=%.1f" % ((time.perf_counter() - begin) * 1e6))
    if any(answer != answers[0] for answer in answers):
        print("wrong result: threads had other answers", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
