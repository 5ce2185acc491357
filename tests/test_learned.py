import pytest

from l2p_search.learned import Curves, Profiles, degree_bucket, shortened


@pytest.mark.parametrize(
    ("degree", "bucket"),
    [(0, "0"), (1, "1"), (2, "2"), (3, "3-4"), (4, "3-4"), (5, "5-8"), (8, "5-8"), (9, "9-16")],
)
def test_degrees_are_put_into_powers_of_two(degree: int, bucket: str) -> None:
    assert degree_bucket(degree) == bucket


def test_joined_curves_are_means_and_the_shorter_one_stands_still() -> None:
    short = Curves((1, 10), (4.0, 2.0), (4.0, 2.0), (50.0, 60.0))
    long = Curves((1, 10, 20), (2.0, 1.0, 0.0), (2.0, 1.0, 0.0), (10.0, 20.0, 40.0))
    joined = short.joined(long, 0.75)
    assert joined.epochs == (1, 10, 20)
    assert joined.train_loss == (2.5, 1.25, 0.5)
    assert joined.val == (20.0, 30.0, 45.0)


def test_joined_profiles_are_means_with_the_weight_of_their_seeds() -> None:
    first = Profiles({"1": (1.0, 0.0)}, {"0": (0.5, 0.5)}, (0.0, 1.0), (1.0, 0.0))
    second = Profiles({"1": (0.0, 1.0)}, {"0": (0.5, 0.5)}, (1.0, 1.0), (0.0, 0.0))
    joined = first.joined(second, 0.25)
    even = {"0": (0.5, 0.5)}
    assert joined == Profiles({"1": (0.75, 0.25)}, even, (0.25, 1.0), (0.75, 0.0))


def test_shares_of_settled_nodes_are_unknown_where_a_part_does_not_say_them() -> None:
    told = Profiles({}, {}, (0.0,), (1.0, 0.0))
    assert told.joined(Profiles({}, {}, (0.0,)), 0.5).settled == ()
    mapping = told.to_mapping()
    del mapping["settled"]
    assert Profiles.from_mapping(mapping).settled == ()


def test_classes_are_named_where_every_one_has_a_name() -> None:
    told = Profiles({"1": (1.0,)}, {"0": (0.5, 0.5), "2": (1.0, 0.0)}, (0.0,))
    named = told.with_class_names(["a", "b", "c"])
    assert named.by_class == {"a": (0.5, 0.5), "c": (1.0, 0.0)}
    assert named.by_degree == told.by_degree
    assert told.with_class_names(["a", "b"]) == told
    assert told.with_class_names([]) == told


def test_json_round_trips() -> None:
    curves = Curves((1, 10), (1.23456789, 1.0), (2.0, 1.0), (50.0, 60.0))
    assert Curves.from_mapping(curves.to_mapping()) == curves
    profiles = Profiles({"3-4": (0.5, 0.5)}, {"0": (1.0, 0.0)}, (0.1, 0.2), (0.5, 0.25))
    assert Profiles.from_mapping(profiles.to_mapping()) == profiles


def test_a_journal_keeps_five_digits_and_whole_numbers_as_they_are() -> None:
    curves = Curves((1, 123456), (1.23456789, 1.0), (2.0, 1.0), (50.0, 60.0))
    short = Curves.from_mapping(shortened(curves.to_mapping()))
    assert short.epochs == (1, 123456)
    assert short.train_loss == (1.2346, 1.0)
