from l2p_search.display.charts import bar_chart, sparkline


def test_the_longest_bar_is_the_likeliest_step() -> None:
    lines = bar_chart((0.1, 0.7, 0.2)).splitlines()
    assert [line.split()[2] for line in lines] == ["0.100", "0.700", "0.200"]
    lengths = [line.count("█") for line in lines]
    assert lengths[1] == max(lengths) == 40


def test_a_tail_of_nothing_is_one_line() -> None:
    lines = bar_chart((0.5, 0.5, *[0.0] * 62)).splitlines()
    assert len(lines) == 3
    assert lines[-1] == "  steps 2-63: 0.000 in all"


def test_many_steps_are_told_in_ranges_that_double_and_lose_nothing() -> None:
    lines = bar_chart([1 / 65] * 65).splitlines()
    names = ["0", "1", "2", "3", "4", "5", "6", "7", "8-15", "16-31", "32-63", "64"]
    assert [line.split()[1] for line in lines] == names
    assert abs(sum(float(line.split()[2]) for line in lines) - 1.0) < 0.01
    assert len(bar_chart([1 / 12] * 12).splitlines()) == 12


def test_a_sparkline_goes_from_the_lowest_to_the_highest() -> None:
    assert sparkline([1.0, 2.0, 4.5]) == "▁▃█"
    assert sparkline([]) == ""
    assert sparkline([5.0, 5.0]) == "██"


def test_a_long_sparkline_is_thinned_and_keeps_the_last_value() -> None:
    drawn = sparkline([float(value) for value in range(1000)], width=10)
    assert len(drawn) == 10
    assert drawn[-1] == "█"
