"""Names of methods as papers print them: L2Q, APPNP, GCNII*."""

_BASELINES = {
    "mlp": "MLP",
    "appnp": "APPNP",
    "dagnn": "DAGNN",
    "gprgnn": "GPR-GNN",
    "gcn": "GCN",
    "gat": "GAT",
    "gcnii": "GCNII*",
    "resgcn": "ResGCN",
    "jknet": "JKNet",
    "incepgcn": "IncepGCN",
    "geomgcn-i": "Geom-GCN-I",
    "geomgcn-p": "Geom-GCN-P",
    "geomgcn-s": "Geom-GCN-S",
    "sage": "GraphSAGE",
    "linkx": "LINKX",
}
_L2P = {"l2p": "L2P", "l2q": "L2Q", "l2s": "L2S"}


def printed_name(method: str) -> str:
    """The name of a method for readers of a paper.

    Args:
        method: As `TrialConfig.method` has it; "l2p" where the posterior was searched too.

    Returns:
        Its name; a method that is not known keeps its own.

    Example:
        >>> [printed_name(m) for m in ("l2q", "l2s-gcn", "l2q-sage-tuned", "jknet-drop")]
        ['L2Q', 'L2S on GCN', 'L2Q on tuned GraphSAGE', 'JKNet + DropEdge']
    """
    head, _, backbone = method.partition("-")
    if head in _L2P:
        return f"{_L2P[head]} on {printed_name(backbone)}" if backbone else _L2P[head]
    plain = method.removesuffix("-drop")
    drop = " + DropEdge" if plain != method else ""
    tuned = "tuned " if plain.endswith("-tuned") else ""
    plain = plain.removesuffix("-tuned")
    return f"{tuned}{_BASELINES.get(plain, plain)}{drop}"
