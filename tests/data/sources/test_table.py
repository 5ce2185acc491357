from pathlib import Path

from tests.data.sources.small_tables import NODES, refused, write


def test_a_message_shows_a_long_value_shortened_and_on_one_line(tmp_path: Path) -> None:
    write(tmp_path, NODES, 'source,target\nann,"x\n' + "y" * 5000 + '"\n')
    refused(tmp_path, "edges.csv, line 2, column 'target': 'x\\nyyy .. yy..' is no id")
