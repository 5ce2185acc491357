import torch

from l2p_search.model.rectified import masked, rectify


def test_it_is_relu_in_place_whose_gradient_passes_as_it_comes() -> None:
    h = torch.tensor([-1.0, 2.0], requires_grad=True)
    given = h * 1.0
    found = rectify(given)
    assert found.tolist() == [0.0, 2.0]
    assert found.data_ptr() == given.data_ptr()
    (grad,) = torch.autograd.grad(masked(torch.tensor([5.0, 7.0]), found.detach()) @ found, h)
    assert grad.tolist() == [0.0, 7.0]
