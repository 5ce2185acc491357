"""Draw docs/picture.svg: the demo graph, its nodes coloured by how far a trained model looks.

    python docs/picture.py

trains L2Q on the built-in graph `demo` (five seeds, a minute or so) and draws each node in the
colour of its expected propagation step.
"""

from pathlib import Path

import networkx as nx
from matplotlib import colormaps
from matplotlib.colors import to_hex

import l2p_search as l2p

_WIDTH, _HEIGHT, _MARGIN, _FOOT = 860, 480, 24, 46
_COLORS = "viridis_r"


def main() -> None:
    """Train, place the nodes, write the file."""
    graph = l2p.load_graph("demo")
    result = l2p.fit(graph, seeds=5, K=8, dropout=0.4)
    if result.profiles is None:
        raise SystemExit("nothing was learned of how far nodes look")
    steps = result.profiles.node_steps
    edges = [tuple(map(int, pair)) for pair in graph.edges.T.tolist()]
    whole = nx.Graph(edges)  # a few nodes have no neighbours, and are left out
    drawn = whole.subgraph(max(nx.connected_components(whole), key=len))
    places = nx.spring_layout(drawn, seed=3, k=0.22, iterations=300)
    places = {node: (y, x) for node, (x, y) in places.items()}  # it is longer than high
    xs, ys = zip(*places.values(), strict=True)

    def at(node: int) -> tuple[float, float]:
        x = (places[node][0] - min(xs)) / (max(xs) - min(xs))
        y = (places[node][1] - min(ys)) / (max(ys) - min(ys))
        return (
            _MARGIN + x * (_WIDTH - 2 * _MARGIN),
            _MARGIN + y * (_HEIGHT - _FOOT - 2 * _MARGIN),
        )

    def color(step: float) -> str:
        return str(to_hex(colormaps[_COLORS](min(1.0, step / max(steps)))))

    lines = "".join(
        f"M{at(a)[0]:.0f} {at(a)[1]:.0f}L{at(b)[0]:.0f} {at(b)[1]:.0f}" for a, b in drawn.edges
    )
    dots = "".join(
        f'<circle cx="{at(n)[0]:.0f}" cy="{at(n)[1]:.0f}" r="5.5" fill="{color(step)}"/>'
        for n, step in enumerate(steps)
        if n in places
    )
    scale = "".join(
        f'<rect x="{300 + 13 * i}" y="{_HEIGHT - 34}" width="13.5" height="12"'
        f' fill="{color(max(steps) * i / 19)}"/>'
        for i in range(20)
    )
    words = (
        f'<text x="290" y="{_HEIGHT - 23}" text-anchor="end">a node stops at once</text>'
        f'<text x="570" y="{_HEIGHT - 23}">it looks {max(steps):.0f} steps far</text>'
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
        ' font-family="sans-serif" font-size="15">'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>'
        f'<path d="{lines}" stroke="#c8ccd0" stroke-width=".8" fill="none"/>'
        f'<g stroke="#333" stroke-width=".5">{dots}</g>{scale}{words}</svg>\n'
    )
    Path(__file__).with_name("picture.svg").write_text(svg)


if __name__ == "__main__":
    main()
