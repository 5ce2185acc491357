"""A first search from Python: a minute on two cores, on the built-in graph `demo`.

    python examples/quickstart.py

It writes to ./searches (the search), ./mlflow (its copy in MLflow), report.html and best.yaml.
"""

import l2p_search as l2p

graph = l2p.load_graph("demo")
print(graph)

# Eight configurations of a small space, each over four seeds; the best on four fresh seeds.
found = l2p.search(graph, trials=8, space="smoke", seeds=4, confirm=4, name="first")
print(found)

print("best configuration:", found.best.config)
print("test accuracy on fresh seeds:", found.confirmed)
print("share of nodes that stop at step 0, 1, ..:", [round(share, 2) for share in found.profile])
print("what mattered:", found.importance)
print(found.trials[["val_accuracy_mean", "dropout", "lr", "hidden", "K"]].head())

found.report("report.html")
found.export("best.yaml")

# The same search, continued to twelve trials: the first eight are not trained again.
found = l2p.open_search("first").resume(trials=12)

# One configuration by hand, and the exported one.
by_hand = l2p.fit(graph, K=8, dropout=0.4, epochs=100, seeds=4)
exported = l2p.fit(graph, "best.yaml")
print("by hand:", by_hand.val_mean, "exported:", exported.val_mean)

# Is choosing the step per node worth it? Another model on the same seeds, compared in pairs.
appnp = l2p.search(graph, model="appnp", trials=3, seeds=4, confirm=4, confirm_ties=0)
print(l2p.compare(appnp, found))
