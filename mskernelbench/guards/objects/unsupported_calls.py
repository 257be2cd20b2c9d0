"""Refuses honest calls that the harness cannot follow: textures, streams, events, graphs, host locks."""

import re

from cudamaster.toolchain.nvcc.driver_entries import answered
from mskernelbench.evaluation import Status
from mskernelbench.guards.cub import imports_of_headers
from mskernelbench.guards.evidence import ObjectEvidence

STATUS = Status.UNSUPPORTED

ADVICE = {
    "read the buffers through the pointers that are passed": (
        r"cuda\w*Texture\w*|cuda\w*Surface\w*|cuda\w*Array\w*|cuda(?:Create|Get)ChannelDesc"
    ),
    "launch on the stream that is passed, the one that a call is timed on and waited for": (
        r"cudaStream(?:Create(?:With\w+)?|Destroy|Query|WaitEvent|BeginCapture\w*|EndCapture|IsCapturing|Get\w+"
        r"|\wetAttribute|CopyAttributes|UpdateCaptureDependencies\w*|AttachMemAsync)|cudaEvent\w+"
        r"|cudaGraph(?!ics)(?!\w*(?:Host|External|DebugDot))\w+|cudaDeviceGetStreamPriorityRange|cudaThreadExchangeStreamCaptureMode"
    ),
    "work on the device buffers that are passed, and on what cudaMalloc gives": (
        r"cudaMallocHost|cudaHost(?:Alloc|Register|Unregister|GetDevicePointer|GetFlags)|cudaFreeHost"
        r"|cudaMallocManaged|__cudaRegisterManagedVar"
        r"|cudaMallocPitch|cudaMalloc3D|cudaMem(?:cpy|set)3D(?:Async)?|cudaMemPrefetchAsync"
        r"|cudaMemAdvise|cudaMemGetInfo|cudaMemPool(?:Create|Destroy|TrimTo)"
        r"|cudaMemPool(?:SetAccess|GetAccess)|cudaMallocFromPoolAsync|cudaPointerGetAttributes|cudaGetSymbolSize"
    ),
    "spell its name and ask for what makes tensor maps, all that a kernel may use of the driver": (
        r"cudaGetDriverEntryPoint(?:ByVersion)?"
    ),
    "stay on the device that is current": (
        r"cudaChooseDevice|cudaDeviceGet(?:ByPCIBusId|PCIBusId)|cudaDeviceCanAccessPeer|cudaSetDevice|cudaInitDevice|cudaGetDeviceFlags|cudaGetDeviceCount|cudaDeviceGetLimit|cuda\w+etSharedMemConfig|cudaDevice\wetCacheConfig"
    ),
    "leave profiling to the harness": r"cudaProfiler(?:Start|Stop)",
    "leave locks out, since one thread at a time calls the entry; what is done once can stand in the "
    "initialiser of a static variable": (
        r"pthread_(?:(?:mutex|rwlock|spin|cond)_\w+|once|self|equal)|sched_yield|__once_proxy"
        r"|_ZSt(?:11__once_call|15__once_callable)|_ZNK?St(?:9once_flag|18condition_variable)\w+"
    ),
}
"""What to do instead, and the names it goes with."""


def refuse(evidence: ObjectEvidence) -> str | None:
    """The calls, and what to do instead."""
    names = evidence.symbols.undefined - imports_of_headers(evidence.source) - answered(evidence.source)
    calls = sorted(name for name in names if advice(name))
    if not calls:
        return None
    instead = dict.fromkeys(str(advice(name)) for name in calls)
    return f"the object calls {', '.join(calls)}, which the harness does not support: {'; '.join(instead)}"


def advice(name: str) -> str | None:
    """What to do instead of calling `name`; None where it is not one of these calls."""
    if name.endswith(("_ptsz", "_ptds")):
        return None
    return next((instead for instead, names in ADVICE.items() if re.fullmatch(names, name)), None)
