"""L2P in a plain training loop of your own, on Wisconsin: `L2P` is an ordinary torch module.

    python examples/own_loop.py [SEEDS EPOCHS]

Ten seeds take a few minutes on one core. `l2p-search train --dataset wisconsin --seeds 10` trains
the same configuration with the engine, all seeds at once.
"""

import copy
import statistics
import sys

import torch
import torch.nn.functional as F

import l2p_search as l2p
from l2p_search.nn import L2P

graph = l2p.load_graph("wisconsin")  # or x, edge_index, y and masks of any Data of PyG
x, edge_index, y = graph.x, graph.edges, graph.y
seeds, epochs = map(int, sys.argv[1:] or (10, 1000))

accuracies = []
for seed in range(seeds):
    torch.manual_seed(seed)
    train, val, test = (mask[seed % len(mask)] for mask in (graph.train, graph.val, graph.test))
    model = L2P(x.shape[1], 64, graph.num_classes, K=8, dropout=0.2, kl_weight=0.02)
    lower = torch.optim.Adam(model.lower_groups(weight_decay=1e-4), lr=0.01)  # theta
    upper = torch.optim.Adam(model.upper_parameters(), lr=0.01)  # phi
    best_loss, best_epoch, best = float("inf"), 0, model
    for epoch in range(epochs):
        model.train()
        lower.zero_grad()
        model.lower_loss(x, edge_index, y, train).backward()
        lower.step()

        model.eval()
        with torch.no_grad():
            val_loss = F.cross_entropy(model(x, edge_index)[val], y[val]).item()
        if val_loss < best_loss:
            best_loss, best_epoch, best = val_loss, epoch, copy.deepcopy(model)
        if epoch - best_epoch >= 100:
            break
        upper.zero_grad()
        model.upper_loss(x, edge_index, y, val).backward()
        upper.step()

    with torch.no_grad():
        right = best(x, edge_index).argmax(dim=1) == y
        q = best.propagation(x, edge_index).mean(dim=0)
    accuracies.append(100 * right[test].double().mean().item())
    print(f"seed {seed}: test {accuracies[-1]:.2f} %, stopping at step 0: {q[0]:.2f}", flush=True)
print(f"test accuracy {statistics.fmean(accuracies):.2f} % over {seeds} seeds")
