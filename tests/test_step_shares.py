import pytest

from l2p_search.step_shares import shares_in_words


@pytest.mark.parametrize(
    ("profile", "says"),
    [
        ([0.5, 0.0, 0.5], "50 % on step 0 and 50 % on step 2"),
        ([1.0], "nearly all on step 0"),
        ([0.0, 0.0, 0.96, 0.04], "nearly all on step 2"),
        ([0.4, 0.3, 0.25, 0.05], "40 % on step 0, 30 % on step 1 and 25 % on step 2"),
        ([0.9, 0.04, 0.03, 0.03], "90 % on step 0"),
        ([0.69] + [0.0155] * 20, "69 % on step 0, the rest spread over steps 1 to 19"),
        ([*[0.05] * 5, 0.49, *[0.05] * 5], "spread over steps 0 to 10"),
        ([1 / 16] * 16, "spread over steps 0 to 15"),
        ([0.0, 0.0, *[0.125] * 8, 0.0], "spread over steps 2 to 9"),
    ],
)
def test_the_steps_that_hold_the_weight_are_named_with_their_shares(
    profile: list[float], says: str
) -> None:
    assert shares_in_words(profile) == says


def test_no_step_is_named_that_nobody_takes() -> None:
    # The mean of this is step 1, which has nothing.
    assert "step 1" not in shares_in_words([0.5, 0.0, 0.5])
