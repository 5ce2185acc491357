import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from l2p_search.model.sparse import SparseMatrix


def _random(rows: int, columns: int, density: float, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(rows, columns, dtype=torch.float64, generator=generator)
    return values * (torch.rand(rows, columns, generator=generator) < density)


def _sparse(dense: torch.Tensor, copies: int = 1) -> SparseMatrix:
    row, column = dense.nonzero(as_tuple=True)
    shape = (dense.shape[0], dense.shape[1])
    shuffled = torch.randperm(row.numel())
    row, column = row[shuffled], column[shuffled]
    return SparseMatrix.from_coordinates(row, column, dense[row, column], shape, copies)


@settings(deadline=None)
@given(
    st.integers(1, 9), st.integers(1, 9), st.floats(0.1, 1), st.integers(0, 99), st.integers(1, 20)
)
def test_both_products_agree_with_the_dense_ones(
    rows: int, columns: int, density: float, seed: int, width: int
) -> None:
    dense = _random(rows, columns, density, seed)
    sparse = _sparse(dense)
    right = _random(columns, width, 1.0, seed + 1)
    left = _random(rows, width, 1.0, seed + 2)
    torch.testing.assert_close(sparse.times(right), dense @ right)
    torch.testing.assert_close(sparse.transposed_times(left), dense.T @ left)


def test_copies_multiply_each_with_its_own_values() -> None:
    pattern = _random(5, 4, 0.5, 0)
    sparse = _sparse(pattern, copies=3)
    values = torch.randn(2, sparse.nonzeros, dtype=torch.float64)
    right, left = _random(8, 6, 1.0, 1), _random(10, 6, 1.0, 2)
    row, column = pattern.nonzero(as_tuple=True)
    for copy in range(2):
        dense = torch.zeros_like(pattern)
        dense[row, column] = values[copy]
        product = sparse.times(right, values)[copy * 5 : (copy + 1) * 5]
        torch.testing.assert_close(product, dense @ right[copy * 4 : (copy + 1) * 4])
        product = sparse.transposed_times(left, values)[copy * 4 : (copy + 1) * 4]
        torch.testing.assert_close(product, dense.T @ left[copy * 5 : (copy + 1) * 5])


def test_copies_without_values_of_their_own_multiply_alike() -> None:
    pattern = _random(5, 4, 0.5, 0)
    sparse = _sparse(pattern, copies=3)
    for copies in (3, 1, 2):
        right, left = _random(copies * 4, 6, 1.0, 1), _random(copies * 5, 6, 1.0, 2)
        blocks = torch.block_diag(*[pattern] * copies)
        torch.testing.assert_close(sparse.times(right), blocks @ right)
        torch.testing.assert_close(sparse.transposed_times(left), blocks.T @ left)
        torch.testing.assert_close(sparse.scaled(2.0).times(right), 2.0 * blocks @ right)
        torch.testing.assert_close(sparse.to(torch.device("cpu")).times(right), blocks @ right)


def test_scaling_scales_both_products() -> None:
    dense = _random(5, 4, 0.6, 3)
    scaled = _sparse(dense).scaled(0.5)
    right, left = _random(4, 3, 1.0, 1), _random(5, 3, 1.0, 2)
    torch.testing.assert_close(scaled.times(right), 0.5 * dense @ right)
    torch.testing.assert_close(scaled.transposed_times(left), 0.5 * dense.T @ left)


def test_is_the_same_in_single_precision() -> None:
    dense = _random(50, 40, 0.2, 4)
    right = _random(40, 33, 1.0, 5)
    found = _sparse(dense.float()).times(right.float())
    torch.testing.assert_close(found, (dense @ right).float(), rtol=1e-5, atol=1e-5)
