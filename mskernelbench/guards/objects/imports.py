"""Refuses objects that import what no kernel needs: processes, files, threads, clocks, libraries.

An allow-list, read from the object's symbol table: `sys##tem` is as visible there as plain spelling. CUDA
calls that are merely not supported are left to `unsupported_calls`. It does not see code that computes
addresses of functions; the worker's limits are for that.
"""

import re

from mskernelbench.entries import blanked
from mskernelbench.evaluation import Status
from mskernelbench.guards.evidence import ObjectEvidence
from mskernelbench.guards.objects.unsupported_calls import advice

STATUS = Status.CHEATED

COMPILER = (
    r"__cuda\w+|__cxa_\w+|_Unwind_\w+|__gxx_personality_v0|__dso_handle|_GLOBAL_OFFSET_TABLE_|atexit"
    r"|__stack_chk_fail"
)
LIBC = (
    r"mem(?:set|cpy|move|cmp)|str(?:len|cmp|ncmp)|malloc|calloc|free|exit|abort|__assert_fail"
    r"|f?printf|f?puts|putchar|fwrite|fflush|fputc|v?snprintf|stderr|stdout|__\w*printf_chk"
)
LIBM = (
    r"(?:sqrt|cbrt|exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|sincos|tanh|erf|floor|ceil|round|trunc|rint"
    r"|fmod|fabs|fmin|fmax|ldexp|frexp|hypot)f?"
)
CPLUSPLUS = (
    r"_Zn[wa]\w+|_Zd[la]\w+|_ZSt\d*__throw_\w+|_ZNSt8ios_base4Init\w+|_ZNK?St7__cxx1112basic_string\w+"
    r"|_ZSt4c(?:out|err)|_ZNSo\w+|_ZSt(?:ls|4endl|16__ostream_insert)\w*|_ZNSt(?:9exception|13runtime_error|11logic_error)\w+"
    r"|_ZT[ISV]\w+"
)
MEMORY = (
    r"cuda(?:Malloc|Free)(?:Async)?|cudaMem(?:set|cpy)(?:2D)?(?:Async)?|cudaMemcpy(?:To|From)Symbol(?:Async)?"
    r"|cudaGetSymbolAddress"
)
QUERIES = (
    r"cudaGetDevice|cudaGetDeviceProperties\w*|cudaDeviceGetAttribute|cudaGetLastError|cudaPeekAtLastError"
    r"|cudaGetError(?:String|Name)|cudaOccupancy\w+|cudaFuncGetAttributes|cudaDriverGetVersion|cudaRuntimeGetVersion"
)
LAUNCHES = (
    r"cudaLaunch(?:CooperativeKernel|Kernel|KernelExC)|cudaFuncSet(?:Attribute|CacheConfig)"
    r"|cudaDeviceSynchronize|cudaStreamSynchronize"
)
ALLOWED = re.compile("|".join((COMPILER, LIBC, LIBM, CPLUSPLUS, MEMORY, QUERIES, LAUNCHES)))

CUB_IMPORTS = frozenset({"dlopen", "dlsym", "dlclose", "getenv", "sched_yield"})
"""What CUDA 13's CUB and Thrust headers import for their own use."""
CUB_HEADER = re.compile(r"#\s*include\s*<(?:cub|thrust)/")


def refuse(evidence: ObjectEvidence) -> str | None:
    """The imports that are not on the list."""
    strange = sorted(n for n in evidence.symbols.undefined if not ALLOWED.fullmatch(n) and not advice(n))
    if _only_for_cub(strange, evidence.source):
        return None
    return f"the object imports {', '.join(strange)}, which no kernel may use" if strange else None


def _only_for_cub(names: list[str], source: str) -> bool:
    """Whether only CUB's headers can want `names`: they are included, and the source spells none of them."""
    if not set(names) <= CUB_IMPORTS or not CUB_HEADER.search(source):
        return False
    text = blanked(source)
    return "##" not in text and "asm" not in text and not any(name in text for name in names)
