"""Names that columns usually have, in the tools that graphs come from."""

import re
from collections.abc import Iterable

LABELS = ("label", "labels", "y", "class", "target")

KINDS = (":label", "~label")
"""What Neo4j and Neptune call the kind of a node: its class, where nothing else is."""

IDS = ("id", "node_id", "nodeid", ":id", "~id", "_id", "new_id", "vertex_id", "nid", "vid")

ENDS = (
    ("source", "target"),  # pandas, networkx, Gephi
    ("src", "dst"),  # Spark's GraphFrames
    ("src_id", "dst_id"),  # DGL
    (":start_id", ":end_id"),  # Neo4j
    ("~from", "~to"),  # Neptune
    ("from", "to"),  # MUSAE
    ("id_1", "id_2"),  # MUSAE
    ("u", "v"),
    ("fromnodeid", "tonodeid"),  # SNAP
    ("from_id", "to_id"),
    ("source_id", "target_id"),
    ("from_node", "to_node"),
    ("source_node", "target_node"),
    ("node_1", "node_2"),
    ("node1", "node2"),
    ("id1", "id2"),
    ("txid1", "txid2"),  # Elliptic
    ("head", "tail"),
    ("start", "end"),
)

WEIGHTS = ("weight", "weights", "edge_weight")

_LOOKS_LIKE_AN_ID = re.compile(r"(^|[_\s.:~-])(id|ids|idx|index|key|uuid|guid)$|[a-z](Id|ID|Idx)$")
_TYPE = re.compile(  # Neo4j's and Neptune's
    r"(?<=.):(string|char|byte|short|int|integer|long|float|double|bool|boolean|date|datetime"
    r"|localdatetime|time|localtime|duration)(\[\])?(\((single|set)\))?$",
    re.IGNORECASE,
)
_UNNAMED = re.compile(r"column \d+|unnamed: \d+|__index_level_\d+__|index", re.IGNORECASE)


def plain(name: str) -> str:
    """A name as it is compared: lower case, underscores, without Neo4j's group and type.

    Args:
        name: A column's name.

    Returns:
        Its plain form.

    Example:
        >>> plain(":START_ID(Person)"), plain("Node-ID"), plain("weight:double")
        (':start_id', 'node_id', 'weight')
    """
    bare = re.sub(r"\(.*\)$", "", untyped(name.strip()))
    return bare.lower().replace(" ", "_").replace("-", "_")


def untyped(name: str) -> str:
    """A name without the type that Neo4j and Neptune write behind it.

    Args:
        name: A column's name.

    Returns:
        The name as it is in the database.

    Example:
        >>> untyped("age:int"), untyped("vector:float[]"), untyped(":LABEL"), untyped("a:b")
        ('age', 'vector', ':LABEL', 'a:b')
    """
    return _TYPE.sub("", name)


def is_usual_id(name: str) -> bool:
    """Whether columns of this name usually identify nodes: `id`, `~id`, Neo4j's `userId:ID`.

    Args:
        name: A column's name.

    Returns:
        True or False.

    Example:
        >>> is_usual_id("node_id"), is_usual_id("userId:ID(User)"), is_usual_id("facebook_id")
        (True, True, False)
    """
    return plain(name) in IDS or plain(name).endswith(":id")


def looks_like_an_id(name: str) -> bool:
    """Whether a column of this name may identify something: `facebook_id`, `paperId`, an index.

    Args:
        name: A column's name.

    Returns:
        True or False.

    Example:
        >>> looks_like_an_id("facebook_id"), looks_like_an_id("paid")
        (True, False)
    """
    return (
        is_usual_id(name)
        or _LOOKS_LIKE_AN_ID.search(name) is not None
        or _LOOKS_LIKE_AN_ID.search(plain(name)) is not None
        or _UNNAMED.fullmatch(name) is not None
    )


def usual(names: Iterable[str], known: Iterable[str]) -> list[str]:
    """Those of a table's names that are among the known ones.

    Args:
        names: Of the table's columns.
        known: Plain names.

    Returns:
        The table's names, in its order.

    Example:
        >>> usual(["age", "Label"], LABELS)
        ['Label']
    """
    wanted = set(known)
    return [name for name in names if plain(name) in wanted]
