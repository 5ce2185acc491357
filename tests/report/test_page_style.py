from l2p_search.report.page_style import SCRIPT, STYLE


def test_a_page_follows_light_and_dark_can_be_printed_and_scrolls_what_is_wide() -> None:
    # on the screen alone: on paper light letters would be grey on white
    assert "@media screen and (prefers-color-scheme: dark)" in STYLE
    assert "@media print" in STYLE
    assert ".wide { overflow-x: auto" in STYLE


def test_the_script_asks_the_network_for_nothing_and_ends_nowhere_early() -> None:
    assert "fetch" not in SCRIPT
    assert "http" not in SCRIPT
    assert "</" not in SCRIPT
