"""compile_step - training steps of a PyTorch module that was compiled to graphs (torch.compile, reduce-overhead).

EXPECT streams: >= 2
EXPECT ops graph: >= 20
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

N, STEPS = 512, 60


def main():
    torch.manual_seed(1)
    layers = [torch.nn.Sequential(torch.nn.Linear(N, N), torch.nn.GELU()) for _ in range(6)]
    model = torch.nn.Sequential(*layers).cuda()
    compiled = torch.compile(model, mode="reduce-overhead")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    begin = time.perf_counter()
    for _ in range(STEPS):
        loss = compiled(torch.randn(256, N, device="cuda")).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    last = loss.item()
    print("workload=compile_step wall_us=%.1f" % ((time.perf_counter() - begin) * 1e6))
    if last != last:
        print("wrong result: not a number", file=sys.stderr)
        return 1
    return 0


# torch.compile starts processes that import this file.
if __name__ == "__main__":
    sys.exit(main())
