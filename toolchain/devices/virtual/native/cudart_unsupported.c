/* Runtime calls that are not supported: each names itself when it is called, and every later call fails.
 * They exist so that a library which holds but never makes such a call can be loaded. */
#include "cudart.h"

#define UNSUPPORTED(name) \
    cudaError_t name(void) { return vgrt_refuse(#name); }

/* Arrays, textures and surfaces. */
UNSUPPORTED(cudaMallocArray)
UNSUPPORTED(cudaMalloc3DArray)
UNSUPPORTED(cudaMallocMipmappedArray)
UNSUPPORTED(cudaFreeArray)
UNSUPPORTED(cudaFreeMipmappedArray)
UNSUPPORTED(cudaArrayGetInfo)
UNSUPPORTED(cudaMemcpyToArray)
UNSUPPORTED(cudaMemcpyFromArray)
UNSUPPORTED(cudaMemcpy2DToArray)
UNSUPPORTED(cudaMemcpy2DFromArray)
UNSUPPORTED(cudaMemcpy2DToArrayAsync)
UNSUPPORTED(cudaMemcpy2DFromArrayAsync)
UNSUPPORTED(cudaCreateChannelDesc)
UNSUPPORTED(cudaGetChannelDesc)
UNSUPPORTED(cudaCreateTextureObject)
UNSUPPORTED(cudaDestroyTextureObject)
UNSUPPORTED(cudaCreateSurfaceObject)
UNSUPPORTED(cudaDestroySurfaceObject)
UNSUPPORTED(cudaGetTextureObjectResourceDesc)
UNSUPPORTED(__cudaRegisterTexture)
UNSUPPORTED(__cudaRegisterSurface)

/* Graphs built node by node. */
UNSUPPORTED(cudaGraphCreate)
UNSUPPORTED(cudaGraphClone)
UNSUPPORTED(cudaGraphAddNode)
UNSUPPORTED(cudaGraphAddKernelNode)
UNSUPPORTED(cudaGraphAddMemcpyNode)
UNSUPPORTED(cudaGraphAddMemcpyNode1D)
UNSUPPORTED(cudaGraphAddMemsetNode)
UNSUPPORTED(cudaGraphAddHostNode)
UNSUPPORTED(cudaGraphAddChildGraphNode)
UNSUPPORTED(cudaGraphAddEmptyNode)
UNSUPPORTED(cudaGraphAddEventRecordNode)
UNSUPPORTED(cudaGraphAddEventWaitNode)
UNSUPPORTED(cudaGraphAddMemAllocNode)
UNSUPPORTED(cudaGraphAddMemFreeNode)
UNSUPPORTED(cudaGraphAddDependencies)
UNSUPPORTED(cudaGraphGetRootNodes)
UNSUPPORTED(cudaGraphGetEdges)
UNSUPPORTED(cudaGraphNodeGetType)
UNSUPPORTED(cudaGraphKernelNodeGetParams)
UNSUPPORTED(cudaGraphKernelNodeSetParams)
UNSUPPORTED(cudaGraphKernelNodeSetAttribute)
UNSUPPORTED(cudaGraphExecKernelNodeSetParams)
UNSUPPORTED(cudaGraphExecMemcpyNodeSetParams)
UNSUPPORTED(cudaGraphExecMemsetNodeSetParams)
UNSUPPORTED(cudaGraphConditionalHandleCreate)
UNSUPPORTED(cudaGraphDebugDotPrint)
UNSUPPORTED(cudaStreamBeginCaptureToGraph)
UNSUPPORTED(cudaStreamUpdateCaptureDependencies)

/* Other processes, devices and drivers. */
UNSUPPORTED(cudaDeviceReset)
UNSUPPORTED(cudaDeviceEnablePeerAccess)
UNSUPPORTED(cudaDeviceDisablePeerAccess)
UNSUPPORTED(cudaDeviceGetP2PAttribute)
UNSUPPORTED(cudaDeviceGetPCIBusId)
UNSUPPORTED(cudaDeviceGetByPCIBusId)
UNSUPPORTED(cudaIpcGetMemHandle)
UNSUPPORTED(cudaIpcOpenMemHandle)
UNSUPPORTED(cudaIpcCloseMemHandle)
UNSUPPORTED(cudaIpcGetEventHandle)
UNSUPPORTED(cudaIpcOpenEventHandle)
UNSUPPORTED(cudaImportExternalMemory)
UNSUPPORTED(cudaImportExternalSemaphore)
UNSUPPORTED(cudaMemPoolExportToShareableHandle)
UNSUPPORTED(cudaMemPoolImportFromShareableHandle)
UNSUPPORTED(cudaGetExportTable)
UNSUPPORTED(cudaLibraryLoadData)
UNSUPPORTED(cudaLibraryLoadFromFile)
UNSUPPORTED(cudaLibraryGetKernel)
UNSUPPORTED(cudaLibraryGetGlobal)
UNSUPPORTED(cudaLibraryUnload)

/* Batched copies, ranges, attributes of streams. */
UNSUPPORTED(cudaMemcpyBatchAsync)
UNSUPPORTED(cudaMemcpy3DBatchAsync)
UNSUPPORTED(cudaMemcpy3DPeer)
UNSUPPORTED(cudaMemcpy3DPeerAsync)
UNSUPPORTED(cudaMemRangeGetAttribute)
UNSUPPORTED(cudaMemRangeGetAttributes)
UNSUPPORTED(cudaMemPoolGetAccess)
UNSUPPORTED(cudaStreamGetAttribute)
UNSUPPORTED(cudaStreamCopyAttributes)

/* The driver's entry points by name, such as cuTensorMapEncodeTiled. */
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags, int *status)
{
    static char call[96];
    (void)version, (void)flags;
    *function = NULL;
    if (status)
        *status = 1; /* the symbol was not found */
    for (size_t i = 0; i + 1 < sizeof call && (call[i] = symbol[i]); i++)
        ;
    return vgrt_refuse(call);
}

PER_THREAD(cudaGetDriverEntryPointByVersion);
