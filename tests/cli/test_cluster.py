"""The search on a cluster that is not there; `tests/faults` has clusters that fail."""

from pathlib import Path

import yaml

from tests.cli.running import Cli


def test_an_address_where_no_cluster_is_gets_one_clear_line(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    found = cli.run(
        *("--dataset", "demo", "--space", "space.yaml", "--trials", "1"),
        *("--address", "127.0.0.1:1"),
    )
    assert found.returncode == 2
    assert "--address 127.0.0.1:1: no Ray cluster answers there" in found.stderr.splitlines()[-1]


def test_the_example_of_a_cluster_closes_what_the_guide_says_is_open() -> None:
    docs = Path(__file__).parents[2] / "docs"
    guide = (docs / "cluster.md").read_text()
    example = yaml.safe_load((docs / "cluster.yaml").read_text())
    head, worker = (example[f"{kind}_start_ray_commands"][-1] for kind in ("head", "worker"))
    for command in (head, worker):
        assert command.startswith("RAY_AUTH_MODE=token ")
    assert "--dashboard-host 127.0.0.1" in head
    for said in ("6379", "10002-19999", "8265", "RAY_AUTH_MODE=token", "firewall", "127.0.0.1"):
        assert said in guide
