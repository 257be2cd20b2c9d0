"""Refuses objects that import what no kernel needs: processes, files, threads, clocks, libraries.

An allow-list, read from the object's symbol table: `sys##tem` is as visible there as plain spelling. CUDA
calls that are merely not supported are left to `unsupported_calls`. It does not see code that computes
addresses of functions; the worker's limits are for that.
"""

import re
from collections.abc import Iterable

from mskernelbench.evaluation import Status
from mskernelbench.guards.cub import imports_of_headers
from mskernelbench.guards.evidence import ObjectEvidence
from mskernelbench.guards.objects.unsupported_calls import advice

STATUS = Status.CHEATED

COMPILER = (
    r"__cuda\w+|__cxa_\w+|_Unwind_\w+|__gxx_personality_v0|__dso_handle|_GLOBAL_OFFSET_TABLE_|atexit"
    r"|__stack_chk_(?:fail|guard)"
)
ARM = (
    r"__aarch64_(?:cas|swp|ldadd|ldclr|ldeor|ldset)\d+_\w+"
    r"|__(?:add|sub|mul|div|neg|eq|ne|lt|le|gt|ge|unord|trunc|extend[sd]f|fix(?:uns)?|float(?:un)?[sdt]i)tf\w*"
)
"""What the compiler calls for atomics and `long double` where x86-64 has instructions."""
LIBC = (
    r"mem(?:set|cpy|move|cmp)|str(?:len|cmp|ncmp|error)|malloc|calloc|free|exit|abort|__assert_fail"
    r"|f?printf|f?puts|putchar|fwrite|fflush|fputc|v?snprintf|stderr|stdout|__\w*printf_chk"
)
LIBM = (
    r"(?:sqrt|cbrt|exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|sincos|tanh|erf|floor|ceil|round|trunc|rint"
    r"|l?lround|l?lrint|fmod|fabs|fmin|fmax|ldexp|frexp|hypot)f?"
)
CPLUSPLUS = (
    r"_Zn[wa]\w+|_Zd[la]\w+|_ZSt\d*__throw_\w+|_ZNSt8ios_base4Init\w+|_ZNK?St7__cxx1112basic_string\w+"
    r"|_ZSt4c(?:out|err)|_ZNSo\w+|_ZSt(?:ls|4endl|16__ostream_insert)\w*|_ZNK?St(?:9exception|9bad_alloc|13runtime_error|11logic_error)\w+"
    r"|_ZT[ISV]\w+|_ZSt9terminatev|_ZSt7nothrow|_ZNSaIcE[CD][12]Ev|_ZSt11_Hash_bytesPKvmm"
    r"|_ZSt\d+_Rb_tree_\w+|_ZNSt8__detail15_List_node_base\w+|_ZNKSt8__detail20_Prime_rehash_policy\w+"
)
MEMORY = (
    r"cuda(?:Malloc|Free)(?:Async)?|cudaMem(?:set|cpy)(?:2D)?(?:Async)?|cudaMemcpy(?:To|From)Symbol(?:Async)?"
    r"|cudaGetSymbolAddress|cudaDevice(?:Get(?:Default)?|Set)MemPool|cudaMemPool[GS]etAttribute"
)
QUERIES = (
    r"cudaGetDevice|cudaGetDeviceProperties\w*|cudaDeviceGetAttribute|cudaGetLastError|cudaPeekAtLastError"
    r"|cudaGetError(?:String|Name)|cudaOccupancy\w+|cudaFuncGetAttributes|cudaDriverGetVersion|cudaRuntimeGetVersion"
    r"|cuTensorMap(?:Encode(?:Tiled|Im2col)|ReplaceAddress)"
)
LAUNCHES = (
    r"cudaLaunch(?:CooperativeKernel|Kernel|KernelExC)|cudaFuncSet(?:Attribute|CacheConfig)"
    r"|cudaDeviceSynchronize|cudaStreamSynchronize"
)
ALLOWED = re.compile("|".join((COMPILER, ARM, LIBC, LIBM, CPLUSPLUS, MEMORY, QUERIES, LAUNCHES)))

WHY = {
    "limits and caches of the device are the baseline's too; leave them as they are": (
        r"cudaDeviceSetLimit|cudaCtxResetPersistingL2Cache|cudaSetDeviceFlags"
    ),
    "work of the host takes time that no kernel's clock sees; do it on the device": (
        r"cudaLaunchHostFunc|cudaStreamAddCallback|pthread_create|_ZNSt6thread\w+"
    ),
}
"""Reasons against names that honest programs use."""


def refuse(evidence: ObjectEvidence) -> str | None:
    """The imports that are not on the list."""
    names = evidence.symbols.undefined - imports_of_headers(evidence.source)
    strange = sorted(n for n in names if not ALLOWED.fullmatch(n) and not advice(n))
    return (
        f"the object imports {', '.join(strange)}, which no kernel may use{_why(strange)}"
        if strange
        else None
    )


def _why(strange: Iterable[str]) -> str:
    """Of what an honest kernel could import: why it may not, and what to do instead."""
    known = [why for why, names in WHY.items() if any(re.fullmatch(names, name) for name in strange)]
    return f": {'; '.join(known)}" if known else ""
