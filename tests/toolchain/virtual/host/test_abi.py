"""The runtime's structures and numbers agree with the toolkit's header."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

from cudamaster.toolchain.devices.virtual import host_abi as abi

NATIVE = Path(__file__).parents[4] / "toolchain" / "devices" / "virtual" / "native"

SAME_PLACES = {
    ("DeviceProperties", "cudaDeviceProp"): {
        "name": "name",
        "uuid": "uuid",
        "global_bytes": "totalGlobalMem",
        "shared_per_block": "sharedMemPerBlock",
        "registers_per_block": "regsPerBlock",
        "warp_size": "warpSize",
        "max_pitch": "memPitch",
        "max_threads_per_block": "maxThreadsPerBlock",
        "max_block": "maxThreadsDim",
        "max_grid": "maxGridSize",
        "constant_bytes": "totalConstMem",
        "major": "major",
        "minor": "minor",
        "texture_alignment": "textureAlignment",
        "sm_count": "multiProcessorCount",
        "can_map_host_memory": "canMapHostMemory",
        "texture_limits": "maxTexture1D",
        "surface_limits": "maxSurface1D",
        "surface_alignment": "surfaceAlignment",
        "concurrent_kernels": "concurrentKernels",
        "ecc": "ECCEnabled",
        "async_engines": "asyncEngineCount",
        "unified_addressing": "unifiedAddressing",
        "memory_bus_bits": "memoryBusWidth",
        "l2_bytes": "l2CacheSize",
        "persisting_l2_bytes": "persistingL2CacheMaxSize",
        "max_threads_per_sm": "maxThreadsPerMultiProcessor",
        "global_l1": "globalL1CacheSupported",
        "shared_per_sm": "sharedMemPerMultiprocessor",
        "registers_per_sm": "regsPerMultiprocessor",
        "managed_memory": "managedMemory",
        "concurrent_managed_access": "concurrentManagedAccess",
        "cooperative_launch": "cooperativeLaunch",
        "shared_per_block_optin": "sharedMemPerBlockOptin",
        "max_blocks_per_sm": "maxBlocksPerMultiProcessor",
        "access_policy_window": "accessPolicyMaxWindowSize",
        "reserved_shared_per_block": "reservedSharedMemPerBlock",
        "host_register": "hostRegisterSupported",
        "memory_pools": "memoryPoolsSupported",
        "cluster_launch": "clusterLaunch",
        "unified_function_pointers": "unifiedFunctionPointers",
        "reserved": "reserved",
    },
    ("FunctionAttributes", "cudaFuncAttributes"): {
        "shared_bytes": "sharedSizeBytes",
        "max_threads": "maxThreadsPerBlock",
        "registers": "numRegs",
        "max_dynamic_shared": "maxDynamicSharedSizeBytes",
        "cluster_must_be_set": "clusterDimMustBeSet",
        "cluster_width": "requiredClusterWidth",
        "non_portable_cluster": "nonPortableClusterSizeAllowed",
    },
    ("PointerAttributes", "cudaPointerAttributes"): {"type": "type", "host_pointer": "hostPointer"},
    ("Copy3D", "cudaMemcpy3DParms"): {
        "src": "srcPtr",
        "dst_pos": "dstPos",
        "extent": "extent",
        "kind": "kind",
    },
    ("KernelNode", "cudaKernelNodeParams"): {
        "function": "func",
        "grid": "gridDim",
        "block": "blockDim",
        "dynamic_shared": "sharedMemBytes",
        "arguments": "kernelParams",
    },
    ("FillNode", "cudaMemsetParams"): {
        "base": "dst",
        "pitch": "pitch",
        "value": "value",
        "element_bytes": "elementSize",
        "width": "width",
        "height": "height",
    },
    ("LaunchAttribute", "cudaLaunchAttribute"): {"id": "id", "value": "val"},
    ("LaunchConfig", "cudaLaunchConfig_t"): {
        "block": "blockDim",
        "dynamic_shared": "dynamicSmemBytes",
        "stream": "stream",
        "attributes": "attrs",
        "attribute_count": "numAttrs",
    },
}


def program() -> str:
    lines = [
        "#include <cuda_runtime_api.h>",
        "#include <cstddef>",
        "#include <cstdint>",
        f'namespace ours {{\n#include "{NATIVE / "cudart_abi.h"}"\n}}',
        "#define SAME_NUMBER(name, number, text) static_assert(number == ::cuda##name, #name);",
        "CUDA_ERRORS(SAME_NUMBER)",
        'static_assert(ours::ATTRIBUTE_CLUSTER == ::cudaLaunchAttributeClusterDimension, "");',
        'static_assert(ours::ATTRIBUTE_COOPERATIVE == ::cudaLaunchAttributeCooperative, "");',
        "static_assert(ours::FUNCTION_MAX_DYNAMIC_SHARED == "
        '::cudaFuncAttributeMaxDynamicSharedMemorySize, "");',
        "static_assert(ours::FUNCTION_NON_PORTABLE_CLUSTER == "
        '::cudaFuncAttributeNonPortableClusterSizeAllowed, "");',
    ]
    for (mine, theirs), members in SAME_PLACES.items():
        lines.append(f'static_assert(sizeof(ours::{mine}) == sizeof(::{theirs}), "size of {theirs}");')
        lines += [
            f'static_assert(offsetof(ours::{mine}, {a}) == offsetof(::{theirs}, {b}), "{theirs}::{b}");'
            for a, b in members.items()
        ]
    return "\n".join(lines)


def toolkit_include() -> Path:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("nvcc is not installed")
    shown = subprocess.run(
        [nvcc, "-dryrun", "-x", "cu", "/dev/null"], capture_output=True, text=True, check=False
    )
    folders = [word[1:-1] for word in shown.stderr.split() if word.startswith('"-I')]
    for folder in folders:
        if (Path(folder[2:]) / "cuda_runtime_api.h").exists():
            return Path(folder[2:])
    pytest.skip("the toolkit's headers are not where nvcc looks for them")


def test_structures_and_numbers_are_the_toolkits(tmp_path: Path) -> None:
    source = tmp_path / "abi.cpp"
    source.write_text(program())
    command = [
        "g++",
        "-std=c++17",
        "-fsyntax-only",
        "-Wno-invalid-offsetof",
        f"-I{toolkit_include()}",
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]


EXCHANGED = {
    "VgDevice": abi.DeviceLayout,
    "VgKernelFacts": abi.FactsLayout,
    "VgLaunchCall": abi.LaunchLayout,
    "VgHost": abi.HostLayout,
}


def test_exchanged_structures_are_the_same_in_c_and_python(tmp_path: Path) -> None:
    lines = ["#include <stdio.h>", f'#include "{NATIVE / "cudart.h"}"', "int main(void) {"]
    for name, layout in EXCHANGED.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'printf("{name}.{f[0]} %zu\\n", offsetof({name}, {f[0]}));' for f in layout._fields_]
    (tmp_path / "layouts.c").write_text("\n".join([*lines, "return 0; }"]))
    subprocess.run(["cc", "-o", "layouts", "layouts.c"], cwd=tmp_path, check=True, capture_output=True)
    told = subprocess.run([str(tmp_path / "layouts")], capture_output=True, text=True, check=True).stdout
    mine = []
    for name, layout in EXCHANGED.items():
        mine.append(f"{name} {ctypes.sizeof(layout)}")
        mine += [f"{name}.{f[0]} {getattr(layout, f[0]).offset}" for f in layout._fields_]
    assert told.splitlines() == mine
