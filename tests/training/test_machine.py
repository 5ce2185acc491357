import torch

from l2p_search.training.machine import machine


def test_it_says_cpu_instructions_and_threads() -> None:
    found = machine()
    assert set(found) == {"cpu", "instructions", "threads"}
    assert all(found.values())
    assert found["threads"] == str(torch.get_num_threads())
    assert machine(threads=7)["threads"] == "7"
