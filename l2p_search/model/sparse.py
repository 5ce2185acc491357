"""The one sparse-times-dense product: CSR on torch's own vectorised embedding-bag kernel.

A row of a sparse matrix times a dense matrix is a weighted sum of the dense matrix's rows,
which is what `embedding_bag` computes; its kernel is 2 to 20 times faster than the other
sparse products of torch on a CPU. Its own backward is slow, so nothing here is recorded by
autograd: the callers are autograd functions whose backward is the transposed product.
"""

from dataclasses import dataclass, fields, replace
from functools import cached_property

import torch
from torch import Tensor, embedding_bag

_SUM = 0
"""The mode of `embedding_bag` that adds up."""


@dataclass(frozen=True, eq=False)
class SparseMatrix:
    """A fixed pattern [rows, columns], stored by rows and by columns for both products.

    It is repeated down the diagonal: with `copies`, one call multiplies the matrices of that many
    seeds, each copy with its own values. A product may use fewer copies; how many follows from
    the height of the dense matrix.

    Example:
        >>> row, column = torch.tensor([0, 1]), torch.tensor([1, 0])
        >>> matrix = SparseMatrix.from_coordinates(row, column, torch.tensor([2.0, 3.0]), (2, 2))
        >>> matrix.times(torch.tensor([[1.0], [10.0]])).tolist()
        [[20.0], [3.0]]
    """

    shape: tuple[int, int]
    indices: Tensor
    offsets: Tensor
    values: Tensor
    transposed_indices: Tensor
    transposed_offsets: Tensor
    transposed_order: Tensor
    transposed_values: Tensor

    @classmethod
    def from_coordinates(
        cls, row: Tensor, column: Tensor, values: Tensor, shape: tuple[int, int], copies: int = 1
    ) -> "SparseMatrix":
        """Build the matrix from coordinates, in any order.

        Args:
            row: Row of each entry, [nonzeros]; a pair of row and column occurs at most once.
            column: Column of each entry, [nonzeros].
            values: Value of each entry, [nonzeros].
            shape: Rows and columns of one copy.
            copies: How often it is repeated down the diagonal.

        Returns:
            The matrix.
        """
        order = torch.argsort(row * shape[1] + column)
        row, column, values = row[order], column[order], values[order]
        transposed = torch.argsort(column * shape[0] + row)
        starts, transposed_starts = _starts(row, shape[0]), _starts(column[transposed], shape[1])
        return cls(
            shape=shape,
            indices=_repeat(column, shape[1], copies).int(),
            offsets=_repeat(starts, row.numel(), copies).int(),
            values=values.contiguous(),
            transposed_indices=_repeat(row[transposed], shape[0], copies).int(),
            transposed_offsets=_repeat(transposed_starts, row.numel(), copies).int(),
            transposed_order=_repeat(transposed, row.numel(), copies),
            transposed_values=values[transposed],
        )

    def to(self, device: torch.device) -> "SparseMatrix":
        """The same matrix on a device."""
        parts = [field.name for field in fields(self) if field.name != "shape"]
        return replace(self, **{name: getattr(self, name).to(device) for name in parts})

    def scaled(self, factor: float) -> "SparseMatrix":
        """The same pattern with every value times a factor."""
        return replace(
            self,
            values=self.values * factor,
            transposed_values=self.transposed_values * factor,
        )

    @property
    def nonzeros(self) -> int:
        """Stored values of one copy."""
        return self.values.numel()

    @cached_property
    def _copies(self) -> int:
        return self.offsets.numel() // max(1, self.shape[0])

    @cached_property
    def _all_values(self) -> Tensor:
        """The values of all copies."""
        return self._repeated(self.values)

    @cached_property
    def _all_transposed_values(self) -> Tensor:
        return self._repeated(self.transposed_values)

    def _repeated(self, values: Tensor) -> Tensor:
        return values if self._copies == 1 else values.repeat(self._copies)

    def times(self, dense: Tensor, values: Tensor | None = None) -> Tensor:
        """M @ dense for dense [copies * columns, width], with `values` [copies, nonzeros]."""
        copies = dense.shape[0] // self.shape[1]
        if values is None:
            values = self._all_values
        given = (self.indices, self.offsets, values)
        if copies != self._copies:
            given = self._first(given, copies, self.shape[0])
        return _bags(dense, *given)

    def transposed_times(self, dense: Tensor, values: Tensor | None = None) -> Tensor:
        """M.T @ dense for dense [copies * rows, width], with `values` in the order of `times`."""
        copies = dense.shape[0] // self.shape[0]
        if values is None:
            values = self._all_transposed_values
        else:
            order = self.transposed_order
            if copies != self._copies:
                order = order[: copies * self.nonzeros]
            values = values.reshape(-1).index_select(0, order)
        given = (self.transposed_indices, self.transposed_offsets, values)
        if copies != self._copies:
            given = self._first(given, copies, self.shape[1])
        return _bags(dense, *given)

    def _first(
        self, given: tuple[Tensor, Tensor, Tensor], copies: int, bags: int
    ) -> tuple[Tensor, Tensor, Tensor]:
        """What the first copies need of the indices, offsets and values of all."""
        indices, offsets, values = given
        entries = copies * self.nonzeros
        return indices[:entries], offsets[: copies * bags], values.reshape(-1)[:entries]


def read_ahead(tensor: Tensor) -> None:
    """Read a tensor once in its order, so that a core has it in its cache.

    Where its entries are wanted in an order that a core cannot foresee, it waits for each that
    lies in memory; in their own order they come several times faster.
    """
    if tensor.device.type == "cpu":
        torch.sum(tensor)


def _bags(dense: Tensor, indices: Tensor, offsets: Tensor, values: Tensor) -> Tensor:
    """Weighted sums of rows of `dense`, one for each offset."""
    if values.dim() > 1:
        values = values.reshape(-1)
    # The function beneath torch.nn.functional's: called a hundred times per epoch, the checks of
    # that one are seen.
    return embedding_bag(dense, indices, offsets, False, _SUM, False, values, False, None)[0]


def _starts(sorted_rows: Tensor, count: int) -> Tensor:
    """Where the entries of each of `count` rows begin."""
    return torch.searchsorted(sorted_rows, torch.arange(count, device=sorted_rows.device))


def _repeat(entries: Tensor, stride: int, copies: int) -> Tensor:
    """The entries once per copy, those of each copy `stride` larger than the copy's before."""
    copy = torch.arange(copies, device=entries.device)
    return (entries + copy[:, None] * stride).reshape(-1)
