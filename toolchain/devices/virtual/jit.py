"""LLVM IR to machine code of this host, and that into this process."""

import ctypes
import functools

import llvmlite
import llvmlite.binding as llvm

from cudamaster.toolchain.devices.virtual.processor import Processor, processor
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from cudamaster.toolchain.elf import imports_of_object

QUICK, THOROUGH = 0, 1
"""LLVM's code-generation levels: the second takes four times as long, its code is about 1.5 times as fast."""
PASSES = {QUICK: (), THOROUGH: ("add_instruction_combine_pass", "add_simplify_cfg_pass")}
"""Few passes suffice, since registers that stay within a basic block are values already."""


@functools.cache
def _machine(level: int, target: Processor) -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=target.name, features=target.features, opt=level, jit=True
    )


def host_has_avx512() -> bool:
    """Whether generated code may use AVX-512F."""
    return processor().avx512


def host_key() -> str:
    """Return what machine code depends on besides IR and level."""
    target = processor()
    return f"{target.name} {target.features} {llvmlite.__version__} {PASSES}"


def generate_object(text: str, level: int) -> bytes:
    """Compile LLVM IR to an object file for this host, at a code-generation level."""
    machine = _machine(level, processor())
    module = llvm.parse_assembly(text)
    if PASSES[level]:
        passes = llvm.create_new_module_pass_manager()
        for name in PASSES[level]:
            getattr(passes, name)()
        options = llvm.create_pipeline_tuning_options(speed_level=level)
        passes.run(module, llvm.create_pass_builder(machine, options))
    return bytes(machine.emit_object(module))


class MachineCode:
    """One function in executable memory, for as long as this object lives."""

    def __init__(self, code: bytes, function: str, native: ctypes.CDLL) -> None:
        """Load the object file `code`, which calls functions of the C library and of those it is linked to.

        Raises Unsupported where it calls another: without that it would be sent to address zero.
        """
        for name in imports_of_object(code):
            llvm.add_symbol(name, _address(native, name))
        _machine(QUICK, processor())
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
