"""Tensors in a GPU's memory, guard bands around each: filled, read and inspected by the memory's owner.

What a worker says about outputs, inputs and guards is never asked.
"""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.cuda.context import Context
from cudamaster.toolchain.devices.cuda.fingerprint import Fingerprint
from cudamaster.toolchain.devices.cuda.sharing import SharedMemory
from cudamaster.toolchain.worker.bands import Placement, bands, place

LOOK_WORDS = 1024
"""That are looked at before all of them are."""
_SERIAL = itertools.count()


class DeviceSegment:
    """GPU memory that holds `arrays`, of any dtypes and shapes, by name. Raises DriverFailed."""

    def __init__(
        self, context: Context, fingerprint: Fingerprint, arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        self.name = f"tensors {next(_SERIAL)}"
        """Unlike any other's of this process."""
        self._context, self._fingerprint = context, fingerprint
        self._arrays = dict(arrays)
        self._words = {name: repeated_word(array) for name, array in arrays.items()}
        self.placements, self._used = place({name: array.nbytes for name, array in arrays.items()})
        self._bands = bands(self.placements, self._used)
        self.memory = SharedMemory(context, self._used)
        self._original: int | None = None

    @property
    def nbytes(self) -> int:
        """What it takes of the GPU's memory."""
        return self.memory.nbytes

    def reset(self) -> None:
        """Give every tensor its first bytes, and the guard bands their poison."""
        self._poison()
        for placement in self.placements:
            self._fill(placement)
        self._context.wait()

    def seal(self) -> None:
        """Remember what is there, for `changed`."""
        self._original = self._fingerprint.of(self.memory.address, self._used)

    def changed(self) -> tuple[str, ...]:
        """Names of the tensors whose bytes, or guard bands, are no longer as sealed; then they are again."""
        if self._fingerprint.of(self.memory.address, self._used) == self._original:
            return ()
        names = [p.name for p in self.placements if self.read(p.name).tobytes() != self._first(p).tobytes()]
        names += self.overwritten_guards()
        self.reset()
        self.seal()
        return tuple(dict.fromkeys(names))

    def read(self, name: str) -> NDArray[Any]:
        """A copy of a tensor as it is now."""
        placement = next(p for p in self.placements if p.name == name)
        like = self._arrays[name]
        return self._read(placement.offset, placement.nbytes).view(like.dtype).reshape(like.shape)

    def overwritten_guards(self) -> tuple[str, ...]:
        """Names of the tensors beside which a guard band was written; bands are whole again afterwards."""
        found = [(band, self._read(band.start, band.end - band.start)) for band in self._bands]
        written = [name for band, content in found for name in band.written(content)]
        if written:
            self._poison()
        return tuple(dict.fromkeys(written))

    def close(self) -> None:
        """Give the memory back."""
        self.memory.close()

    def _poison(self) -> None:
        for band in self._bands:
            self._write(band.start, band.poison())

    def _fill(self, placement: Placement) -> None:
        """By the GPU itself where a tensor repeats one word, as poison and zeros do."""
        word = self._words[placement.name]
        if word is None:
            self._write(placement.offset, self._first(placement))
        elif placement.nbytes:
            fill = {2: "cuMemsetD16", 4: "cuMemsetD32"}[word.itemsize]
            address = self.memory.address + placement.offset
            self._context.driver.call(fill, address, int(word), placement.nbytes // word.itemsize)

    def _first(self, placement: Placement) -> NDArray[np.uint8]:
        return self._arrays[placement.name].reshape(-1).view(np.uint8)

    def _write(self, offset: int, content: NDArray[np.uint8]) -> None:
        if content.nbytes:
            self._context.driver.call(
                "cuMemcpyHtoD", self.memory.address + offset, content.ctypes.data, content.nbytes
            )

    def _read(self, offset: int, nbytes: int) -> NDArray[np.uint8]:
        content = np.empty(nbytes, np.uint8)
        if nbytes:
            self._context.driver.call(
                "cuMemcpyDtoH", content.ctypes.data, self.memory.address + offset, nbytes
            )
        return content


def repeated_word(array: NDArray[Any]) -> np.uint16 | np.uint32 | None:
    """The word of 4 or 2 bytes that `array` is nothing but repeats of; None where there is none."""
    content = array.reshape(-1).view(np.uint8)
    for dtype in (np.uint32, np.uint16):
        if content.nbytes % np.dtype(dtype).itemsize == 0:
            words = content.view(dtype)
            some = words[:LOOK_WORDS]
            if not words.size or (np.all(some == words[0]) and np.all(words == words[0])):
                return dtype(words[0] if words.size else 0)
    return None
