"""LLVM IR to machine code of this host, kept in the disk cache by the hash of the IR, the CPU and LLVM."""

import contextlib
import ctypes
import functools
import hashlib
import re
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

from cudamaster.toolchain.cache import cache_folder, publish_file
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported

QUICK, THOROUGH = 0, 1
"""LLVM's code-generation levels: the second takes four times as long, its code is about 1.5 times as fast."""
PASSES = {QUICK: (), THOROUGH: ("add_instruction_combine_pass", "add_simplify_cfg_pass")}
"""Few passes suffice, since registers that stay within a basic block are values already."""
_NATIVE_CALL = re.compile(r"^declare [^@]*@(vg_\w+)\(", re.MULTILINE)


@functools.cache
def _machine(level: int) -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=_features(), opt=level, jit=True
    )


def _features() -> str:
    return str(llvm.get_host_cpu_features().flatten())


@functools.cache
def host_has_avx512() -> bool:
    """Whether generated code may use AVX-512F."""
    return "+avx512f" in _features().split(",")


def cache_key(text: str, level: int) -> str:
    """Return the hash under which the machine code of `text` is kept."""
    host = f"{llvm.get_host_cpu_name()} {_features()} {llvmlite.__version__} {level} {PASSES[level]}"
    return hashlib.sha256(f"{host}\n{text}".encode()).hexdigest()


def generate_object(text: str, level: int) -> bytes:
    """Compile LLVM IR to an object file for this host, at a code-generation level."""
    machine = _machine(level)
    module = llvm.parse_assembly(text)
    if PASSES[level]:
        passes = llvm.create_new_module_pass_manager()
        for name in PASSES[level]:
            getattr(passes, name)()
        options = llvm.create_pipeline_tuning_options(speed_level=level)
        passes.run(module, llvm.create_pass_builder(machine, options))
    return bytes(machine.emit_object(module))


def object_code(text: str, level: int) -> bytes:
    """Return machine code as an object file, from the cache where it is there."""
    key = cache_key(text, level)
    path: Path = cache_folder() / "virtual-code" / key[:2] / f"{key}.o"
    if path.exists():
        return path.read_bytes()
    code = generate_object(text, level)
    with contextlib.suppress(OSError):  # a process that runs candidates may not write
        publish_file(path, code)
    return code


class MachineCode:
    """One function in executable memory, for as long as this object lives."""

    def __init__(self, text: str, function: str, native: ctypes.CDLL, level: int = THOROUGH) -> None:
        for name in _NATIVE_CALL.findall(text):
            llvm.add_symbol(name, _address(native, name))
        code = object_code(text, level)
        _machine(level)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self._own_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self.address: int = self._engine.get_function_address(function)

    def _own_machine(self) -> llvm.TargetMachine:
        """An execution engine takes its machine over, so each needs its own."""
        return llvm.Target.from_default_triple().create_target_machine(opt=THOROUGH, jit=True)


def _address(native: ctypes.CDLL, name: str) -> int:
    try:
        function = getattr(native, name)
    except AttributeError:
        raise Unsupported(f"the runtime function {name}") from None
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address
