"""What runs in a virtual GPU's worker: one session of one candidate, answering over the wire.

A request names everything a call needs; the first one loads the library. The reply holds a `failure`, or what
the call did besides writing its outputs, which the trusted side reads from the shared memory itself.
"""

import functools
import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cudamaster.toolchain.arguments import Scalar
from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.addresses import AddressSpace, require_addresses
from cudamaster.toolchain.devices.virtual.cost.assembly import Launched, profile_launches
from cudamaster.toolchain.devices.virtual.cost.host_calls import Operation
from cudamaster.toolchain.devices.virtual.cost.occupancy import l1_share_bytes, residents
from cudamaster.toolchain.devices.virtual.extents import Buffer, extents
from cudamaster.toolchain.devices.virtual.guest import GuestProgram
from cudamaster.toolchain.devices.virtual.hosting import GuestHost, Region
from cudamaster.toolchain.devices.virtual.launch import launched
from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.devices.virtual.ptx.parse import PtxError
from cudamaster.toolchain.devices.virtual.replies import encode_extents, encode_profile
from cudamaster.toolchain.devices.virtual.sampling import SamplePlan, thread_instructions
from cudamaster.toolchain.devices.virtual.session import CallReport, Session, SessionOptions
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.devices.virtual.translating import AskingTranslator, TranslatingProgram
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.passing import Argument
from cudamaster.toolchain.worker.guest import Guest, GuestBusy, fork_guest
from cudamaster.toolchain.worker.program import Ask
from cudamaster.toolchain.worker.replies import encode_failure, encode_fault
from cudamaster.toolchain.worker.segment import MappedSegment


def preload() -> None:
    """Load the native runtime for every child.

    Raises EnvironmentLacks where it cannot be compiled, or a child could not have its addresses.
    """
    require_addresses()
    load_native()


def prepare(harden: Callable[[], None]) -> "_Prepared":
    """Addresses that a worker and its guest agree on, and the guest."""
    addresses = AddressSpace()

    def serve(link: socket.socket) -> None:
        GuestProgram(link, addresses).serve()

    return _Prepared(addresses, fork_guest(serve, harden))


def open_program(ask: Ask, prepared: "_Prepared") -> "VirtualProgram":
    """A child's program."""
    return VirtualProgram(ask, prepared)


class _Prepared(NamedTuple):
    addresses: AddressSpace
    guest: Guest


class _Mapping:
    """The shared memory of one argument set: inputs, then outputs."""

    def __init__(
        self, segments: Sequence[Mapping[str, Any]], files: Sequence[int], addresses: AddressSpace
    ) -> None:
        self.segments = []
        self.regions: dict[str, Region] = {}
        for description, file in zip(segments, files, strict=True):
            writable = bool(description["writable"])
            place = addresses.place(description["nbytes"])
            mapped = MappedSegment(file, description["nbytes"], place, writable=writable)
            self.segments.append(mapped)
            for name, offset, nbytes in description["tensors"]:
                blank = name in description["blank"]
                self.regions[name] = Region(mapped.address + offset, nbytes, writable, name, blank)

    def close(self) -> None:
        for segment in self.segments:
            segment.close()


class VirtualProgram:
    """One candidate; or none at all in a worker that only translates."""

    def __init__(self, ask: Ask, prepared: _Prepared) -> None:
        self._prepared = prepared
        self._session: Session | None = None
        self._mappings: dict[str, _Mapping] = {}
        self._translator = AskingTranslator(ask)
        self._translating = TranslatingProgram()
        self._spent: dict[str, float] = {}
        """Processor seconds of the request in hand, by stage."""

    def answer(self, request: Mapping[str, Any], files: Sequence[int]) -> Mapping[str, Any]:
        """Call the entry as `request` says, or translate a kernel."""
        begun = time.process_time()
        self._spent.clear()
        if "translate" in request:
            answer = self._translating.answer(request["translate"], files)
            return {**answer, "spent": {"translate": time.process_time() - begun}}
        answer = self._call(request, files)
        self._spent["worker"] = time.process_time() - begun - sum(self._spent.values())
        return {**answer, "spent": self._spent}

    def _call(self, request: Mapping[str, Any], files: Sequence[int]) -> Mapping[str, Any]:
        mapping = self._map(request, files)
        try:
            session = self._session = self._session or self._open_session(request)
            report = self._run(session, request, mapping)
        except (Unsupported, PtxError) as lacking:
            return _failure(FailureKind.UNSUPPORTED, str(lacking))
        except GuestBusy as busy:
            words = f"host code of the entry neither returned nor called the CUDA runtime within {busy}"
            return _failure(FailureKind.TIMED_OUT, words)
        except OSError as failure:
            return _failure(FailureKind.LAUNCH_FAILED, f"the library cannot be loaded: {failure}")
        if report.failed:
            return {"failure": encode_failure(_failed(report))}
        begun = time.process_time()
        answer = _answer(report, request, [(r.name, r.address, r.nbytes) for r in mapping.regions.values()])
        self._spent["model"] = time.process_time() - begun
        return answer

    def _run(self, session: Session, request: Mapping[str, Any], mapping: _Mapping) -> CallReport:
        simulated, translated = session.processor_seconds, self._translator.processor_seconds
        try:
            return _call(session, request, mapping)
        finally:
            self._spent["simulate"] = session.processor_seconds - simulated
            self._spent["translate"] = self._translator.processor_seconds - translated

    def _open_session(self, request: Mapping[str, Any]) -> Session:
        gpu, options = load_gpu(request["gpu"]), SessionOptions(**request["options"])
        ptx = Path(request["ptx"]).read_text()
        limit = options.allocation_limit_bytes or gpu.device.dram_bytes
        return Session(
            Path(request["library"]),
            spec=gpu.device,
            translator=self._translator,
            options=options,
            resources=_resources(request),
            l1_share=functools.partial(l1_share_bytes, resources=_resources(request), gpu=gpu),
            residents=functools.partial(residents, resources=_resources(request), spec=gpu.device),
            guest=GuestHost(self._prepared.guest, self._prepared.addresses, ptx, gpu.device, limit),
        )

    def _map(self, request: Mapping[str, Any], files: Sequence[int]) -> _Mapping:
        label = request["label"]
        if label not in self._mappings:
            self._mappings[label] = _Mapping(request["segments"], files, self._prepared.addresses)
        for file in files:
            os.close(file)
        for stale in self._mappings.keys() - set(request["kept"]):
            self._mappings.pop(stale).close()
        return self._mappings[label]


def _resources(request: Mapping[str, Any]) -> tuple[KernelResources, ...]:
    return tuple(KernelResources(**fields) for fields in request["resources"])


def _call(session: Session, request: Mapping[str, Any], mapping: _Mapping) -> CallReport:
    wanted = {name: request[name] for name in ("seed", "anywhere", "least_bytes", "within", "alone")}
    plan = SamplePlan(**wanted) if request["profile"] else None
    session.pace(request["order"], request["launch_seconds"])
    arguments = [_argument(a, mapping) for a in request["arguments"]]
    regions = [r for r in mapping.regions.values() if r.nbytes]
    with session.buffers(regions):
        if request["watch"]:
            session.watch(regions, in_passing=request["in_passing"])
        return session.call(request["entry"], arguments, plan)


def _argument(fields: Mapping[str, Any], mapping: _Mapping) -> Argument:
    if "value" in fields:
        return Scalar(fields["name"], fields["value"], fields["ctype"])
    return mapping.regions[fields["name"]].address


def _failed(report: CallReport) -> RunFailure:
    kind = FailureKind.LAUNCH_FAILED
    if report.fault and report.fault.kind == "timed_out":
        kind = FailureKind.TIMED_OUT
    return RunFailure(kind, report.reason, report.fault)


def _failure(kind: FailureKind, reason: str) -> dict[str, Any]:
    return {"failure": encode_failure(RunFailure(kind, reason))}


def _answer(report: CallReport, request: Mapping[str, Any], buffers: Sequence[Buffer]) -> dict[str, Any]:
    said: dict[str, Any] = {
        "faults": [encode_fault(fault) for fault in report.faults],
        "notes": [encode_fault(note) for note in report.notes],
        "leaked_bytes": report.leaked_bytes,
        "seconds": report.seconds,
        "launches": len(report.launches),
        "launched": None if report.follows_data else launched(report.launches),
    }
    if request["profile"]:
        operations = [Operation(name, moved) for name, moved in report.memory_operations]
        in_order = zip(report.order, report.launches, strict=True)
        profile = profile_launches(
            report.samples,
            _resources(request),
            load_gpu(request["gpu"]),
            order=[Launched(sample, launch.parameters) for sample, launch in in_order],
            source_files=set(request["source_files"]),
            operations=operations,
        )
        said["kernels"] = encode_profile(profile)
        said["extents"] = encode_extents(extents(report.samples, buffers, report.repeats))
        said["moved_bytes"], said["transferred_bytes"] = report.moved_bytes, report.transferred_bytes
        said["steps"] = sum(count * thread_instructions(sample) for sample, count in report.samples)
    return said
