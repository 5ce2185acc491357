import pytest
import torch

from l2p_search.errors import DeviceError, in_shell
from l2p_search.model.devices import chosen_device, devices_here


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


@pytest.fixture
def apple(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


@pytest.mark.parametrize(
    ("name", "found"), [("auto", "cuda:0"), ("cuda", "cuda:0"), ("cuda:1", "cuda:1")]
)
@pytest.mark.usefixtures("two_gpus")
def test_auto_takes_cuda_where_there_is_one(name: str, found: str) -> None:
    assert devices_here() == ["cpu", "cuda:0", "cuda:1"]
    assert str(chosen_device(name)) == found


@pytest.mark.usefixtures("apple")
def test_apples_gpu_is_taken_only_when_it_is_named() -> None:
    assert str(chosen_device("auto")) == "cpu"
    assert str(chosen_device("mps")) == "mps"


@pytest.mark.usefixtures("no_gpu")
def test_without_a_gpu_auto_is_the_cpu() -> None:
    assert str(chosen_device("auto")) == "cpu"


@pytest.mark.parametrize("name", ["cuda", "cuda:0", "mps"])
@pytest.mark.usefixtures("no_gpu")
def test_a_device_that_is_not_there_is_refused_with_those_that_are(name: str) -> None:
    with pytest.raises(DeviceError) as caught:
        chosen_device(name)
    line = in_shell(caught.value.message)
    assert line.startswith(f"--device {name}: torch")
    assert "only cpu; give one of these" in line
    assert "\n" not in line


@pytest.mark.usefixtures("two_gpus")
def test_a_third_gpu_of_two_is_refused_with_the_two() -> None:
    with pytest.raises(DeviceError, match="only cpu, cuda:0, cuda:1; give one of these"):
        chosen_device("cuda:2")


@pytest.mark.parametrize("name", ["gpu", "", "CUDA", "cuda:", "cuda:-1", "cuda:1:2", "meta", 0])
def test_what_is_no_device_is_refused_by_name(name: object) -> None:
    with pytest.raises(
        DeviceError, match="is no device; it must be auto, cpu, cuda, cuda:1 or mps"
    ):
        chosen_device(name)  # type: ignore[arg-type]
