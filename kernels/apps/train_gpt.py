"""train_gpt - a small transformer trained as people do it in PyTorch, then served from a graph.

Batches by worker processes and pinned memory on a stream of their own, autocast, clipped gradients, a fused optimizer, a loss read
now and then; then the trained model is captured and replayed with a pageable copy before each replay. The argument is the number of
steps. A whole program and no witness of one rule: thousands of calls by several threads (autograd has its own), for `gstrace verify`.

EXPECT streams: >= 2
EXPECT ops kernel: >= 1000
EXPECT ops graph: >= 50
EXPECT none: lost-records
"""
import sys
import time

try:
    import torch
    from torch import nn
except ImportError as reason:
    print("skipped: no PyTorch: %s" % reason, file=sys.stderr)
    sys.exit(77)

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
BATCH, LENGTH, WORDS, WIDTH, HEADS = 16, 128, 1000, 256, 8


class Sentences(torch.utils.data.Dataset):
    def __len__(self):
        return STEPS * BATCH

    def __getitem__(self, i):
        return torch.randint(0, WORDS, (LENGTH + 1,), generator=torch.Generator().manual_seed(i))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH), nn.Dropout(0.1))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.before(x)).view(b, t, 3, HEADS, d // HEADS).permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.between(x))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*[Block() for _ in range(6)])
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, x):
        return self.head(self.blocks(self.words(x) + self.places(torch.arange(x.shape[1], device=x.device))))


def train(model, side):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    loader = torch.utils.data.DataLoader(Sentences(), batch_size=BATCH, num_workers=2, pin_memory=True)
    losses = []
    for step, batch in enumerate(loader):
        with torch.cuda.stream(side):
            batch = batch.cuda(non_blocking=True)
        torch.cuda.current_stream().wait_stream(side)
        batch.record_stream(torch.cuda.current_stream())
        optimizer.zero_grad(set_to_none=True)
        torch.cuda.nvtx.range_push("forward")
        with torch.autocast("cuda", dtype=torch.bfloat16):
            words = model(batch[:, :-1]).float().view(-1, WORDS)
            loss = nn.functional.cross_entropy(words, batch[:, 1:].reshape(-1))
        torch.cuda.nvtx.range_pop()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 10 == 0:
            losses.append(loss.item())
    return losses


def serve(model, side):
    x = torch.zeros(4, LENGTH, dtype=torch.long, device="cuda")
    model.eval()
    with torch.no_grad():
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                model(x)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = model(x)
        total = 0.0
        for _ in range(50):
            x.copy_(torch.randint(0, WORDS, (4, LENGTH)))
            graph.replay()
            total += y.float().mean().item()
    return total


def main():
    if not torch.cuda.is_available():
        print("skipped: no usable GPU: torch.cuda.is_available() is false", file=sys.stderr)
        return 77
    torch.manual_seed(1)
    model = Model().cuda()
    side = torch.cuda.Stream()
    begin = time.perf_counter()
    losses = train(model, side)
    total = serve(model, side)
    torch.cuda.synchronize()
    print("workload=train_gpt wall_us=%.1f" % ((time.perf_counter() - begin) * 1e6))
    if not all(loss == loss for loss in losses) or total != total:
        print("wrong result: not a number", file=sys.stderr)
        return 1
    return 0


# The workers of the loader must not run this.
if __name__ == "__main__":
    sys.exit(main())
