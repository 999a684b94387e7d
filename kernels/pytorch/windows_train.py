"""windows_train - three windows of a training loop in PyTorch (RECORD --start=paused).

Two steps are recorded in each window, between cudaProfilerStart and Stop, and two between the windows are not. Data comes through a
stream of its own, which the step waits for: streams and their last events are older than each window.

EXPECT streams: 2..3
EXPECT ops kernel: >= 30
EXPECT ops memcpy: >= 6
EXPECT ops wait: >= 6
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

N = 512
WINDOWS = 3


def main():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(N, N), torch.nn.ReLU(), torch.nn.Linear(N, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = torch.cuda.Stream()
    source = torch.randn(N, N).pin_memory()
    losses = []

    def step():
        with torch.cuda.stream(loader):
            batch = source.cuda(non_blocking=True)
        torch.cuda.current_stream().wait_stream(loader)
        batch.record_stream(torch.cuda.current_stream())
        optimizer.zero_grad(set_to_none=True)
        loss = (model(batch) - 1.0).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())

    step()
    step()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(WINDOWS):
        torch.cuda.cudart().cudaProfilerStart()
        step()
        step()
        torch.cuda.cudart().cudaProfilerStop()
        step()
        step()
    torch.cuda.synchronize()
    print("workload=windows_train wall_us=%.1f" % ((time.perf_counter() - begin) * 1e6))
    if not losses[-1].item() < losses[0].item():
        print("wrong result: the loss did not fall", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
