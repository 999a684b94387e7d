#!/usr/bin/env python3
"""Writes tracer/format/api.def and api_order.def, the table of the CUDA calls gstrace knows.

    tools/gen_cbid_table.py [--cuda DIR] [--check] [-o FOLDER]

Numbers and parameter layouts come from the CUDA toolkit's CUPTI headers (/usr/local/cuda or --cuda); what a
call means comes from the lists below. The result is checked in: building needs no toolkit. --check
compares instead of writing and exits 1 on a difference.

A call of the lists is recorded under each callback id it has: every version suffix (_v2, _v3020 ...)
and both variants for the per-thread default stream (_ptsz: the stream argument 0 means it,
_ptds: the call has no stream argument and means it).
"""

import argparse
import os
import re
import sys

# Flags of the lists: S the form without Async (or a host wait); H hot, for runtime calls: only the
# driver call below is recorded; > H2D, < D2H, = D2D, ? any direction; P peer; B batch.
FLAGS = {
    "S": "SYNC_FORM",
    "H": "HOT",
    ">": "H2D",
    "<": "D2H",
    "=": "D2D",
    "?": "ANY_DIR",
    "P": "PEER",
    "B": "BATCH",
}

# class, flags, layout: names (without version suffix)
DRIVER = [
    ("LAUNCH", "H", "LAUNCH", "cuLaunchKernel cuLaunchCooperativeKernel"),
    ("LAUNCH", "H", "LAUNCH_EX", "cuLaunchKernelEx"),
    ("LAUNCH", "", "LAUNCH_MULTI", "cuLaunchCooperativeKernelMultiDevice"),
    ("LAUNCH", "", "NONE", "cuLaunch cuLaunchGrid"),
    ("LAUNCH", "", "STREAM_AT_16", "cuLaunchGridAsync"),
    ("COPY", "S>", "COPY", "cuMemcpyHtoD"),
    ("COPY", "S<", "COPY", "cuMemcpyDtoH"),
    ("COPY", "S=", "COPY", "cuMemcpyDtoD"),
    ("COPY", "S?", "COPY", "cuMemcpy"),
    ("COPY", "S>", "COPY_TO_ARRAY", "cuMemcpyHtoA"),
    ("COPY", "S=", "COPY_TO_ARRAY", "cuMemcpyDtoA"),
    ("COPY", "S<", "COPY_FROM_ARRAY", "cuMemcpyAtoH"),
    ("COPY", "S=", "COPY_FROM_ARRAY", "cuMemcpyAtoD"),
    ("COPY", "S=", "COPY_ARRAY_ARRAY", "cuMemcpyAtoA"),
    ("COPY", "S?", "COPY_2D", "cuMemcpy2D cuMemcpy2DUnaligned"),
    ("COPY", "S?", "COPY_3D", "cuMemcpy3D"),
    ("COPY", "S=P", "COPY_PEER", "cuMemcpyPeer"),
    ("COPY", "S?P", "COPY_3D_PEER", "cuMemcpy3DPeer"),
    ("COPY", "H>", "COPY_ASYNC", "cuMemcpyHtoDAsync"),
    ("COPY", "H<", "COPY_ASYNC", "cuMemcpyDtoHAsync"),
    ("COPY", "H=", "COPY_ASYNC", "cuMemcpyDtoDAsync"),
    ("COPY", "H?", "COPY_ASYNC", "cuMemcpyAsync"),
    ("COPY", "H>", "COPY_TO_ARRAY_ASYNC", "cuMemcpyHtoAAsync"),
    ("COPY", "H<", "COPY_FROM_ARRAY_ASYNC", "cuMemcpyAtoHAsync"),
    ("COPY", "H?", "COPY_2D_ASYNC", "cuMemcpy2DAsync"),
    ("COPY", "H?", "COPY_3D_ASYNC", "cuMemcpy3DAsync"),
    ("COPY", "H=P", "COPY_PEER_ASYNC", "cuMemcpyPeerAsync"),
    ("COPY", "H?P", "COPY_3D_PEER_ASYNC", "cuMemcpy3DPeerAsync"),
    ("COPY", "H?B", "COPY_BATCH COPY_BATCH_V2", "cuMemcpyBatchAsync"),
    ("COPY", "H?B", "COPY_3D_BATCH COPY_3D_BATCH_V2", "cuMemcpy3DBatchAsync"),
    ("MEMSET", "S", "MEMSET_8", "cuMemsetD8"),
    ("MEMSET", "S", "MEMSET_16", "cuMemsetD16"),
    ("MEMSET", "S", "MEMSET_32", "cuMemsetD32"),
    ("MEMSET", "S", "MEMSET_2D_8", "cuMemsetD2D8"),
    ("MEMSET", "S", "MEMSET_2D_16", "cuMemsetD2D16"),
    ("MEMSET", "S", "MEMSET_2D_32", "cuMemsetD2D32"),
    ("MEMSET", "H", "MEMSET_8_ASYNC", "cuMemsetD8Async"),
    ("MEMSET", "H", "MEMSET_16_ASYNC", "cuMemsetD16Async"),
    ("MEMSET", "H", "MEMSET_32_ASYNC", "cuMemsetD32Async"),
    ("MEMSET", "H", "MEMSET_2D_8_ASYNC", "cuMemsetD2D8Async"),
    ("MEMSET", "H", "MEMSET_2D_16_ASYNC", "cuMemsetD2D16Async"),
    ("MEMSET", "H", "MEMSET_2D_32_ASYNC", "cuMemsetD2D32Async"),
    ("EVENT_CREATE", "", "EVENT_CREATE", "cuEventCreate"),
    ("EVENT_RECORD", "H", "EVENT_RECORD", "cuEventRecord"),
    ("EVENT_RECORD", "H", "EVENT_RECORD_FLAGS", "cuEventRecordWithFlags"),
    ("EVENT_RECORD", "", "CTX_EVENT", "cuCtxRecordEvent cuGreenCtxRecordEvent"),
    ("EVENT_WAIT", "H", "STREAM_WAIT", "cuStreamWaitEvent"),
    ("EVENT_WAIT", "", "CTX_EVENT", "cuCtxWaitEvent cuGreenCtxWaitEvent"),
    ("EVENT_SYNC", "S", "EVENT", "cuEventSynchronize"),
    ("EVENT_QUERY", "H", "EVENT", "cuEventQuery"),
    ("EVENT_DESTROY", "", "EVENT", "cuEventDestroy"),
    ("EVENT_ELAPSED", "", "EVENT_ELAPSED", "cuEventElapsedTime"),
    ("STREAM_CREATE", "", "STREAM_CREATE", "cuStreamCreate"),
    ("STREAM_CREATE", "", "STREAM_CREATE_PRIO", "cuStreamCreateWithPriority"),
    ("STREAM_CREATE", "", "GREEN_STREAM_CREATE", "cuGreenCtxStreamCreate"),
    ("STREAM_CREATE", "", "STREAM_OUT", "cuStreamCreateForCaptureToCig"),
    ("STREAM_DESTROY", "", "STREAM", "cuStreamDestroy"),
    ("STREAM_SYNC", "S", "STREAM", "cuStreamSynchronize"),
    ("STREAM_QUERY", "H", "STREAM", "cuStreamQuery"),
    ("CTX_SYNC", "S", "CTX NONE", "cuCtxSynchronize"),
    ("CTX_CREATE", "", "CTX_CREATE CTX_CREATE_V3 CTX_CREATE_V4 CTX_OUT", "cuCtxCreate"),
    ("CTX_CREATE", "", "CTX_OUT", "cuDevicePrimaryCtxRetain cuGreenCtxCreate"),
    ("CTX_DESTROY", "", "CTX", "cuCtxDestroy cuGreenCtxDestroy"),
    ("CTX_DESTROY", "", "DEVICE", "cuDevicePrimaryCtxRelease"),
    ("DEVICE_RESET", "", "DEVICE", "cuDevicePrimaryCtxReset"),
    ("HOST_FUNC", "H", "HOST_FUNC", "cuLaunchHostFunc"),
    ("STREAM_CALLBACK", "H", "STREAM_CALLBACK", "cuStreamAddCallback"),
    ("CAPTURE_BEGIN", "", "CAPTURE_BEGIN STREAM", "cuStreamBeginCapture"),
    ("CAPTURE_BEGIN", "", "CAPTURE_TO_GRAPH", "cuStreamBeginCaptureToGraph"),
    ("CAPTURE_END", "", "CAPTURE_END", "cuStreamEndCapture"),
    ("GRAPH_INSTANTIATE", "", "GRAPH_INSTANTIATE", "cuGraphInstantiate"),
    ("GRAPH_INSTANTIATE", "", "GRAPH_INSTANTIATE_FLAGS", "cuGraphInstantiateWithFlags"),
    ("GRAPH_INSTANTIATE", "", "GRAPH_INSTANTIATE_PARAMS", "cuGraphInstantiateWithParams"),
    ("GRAPH_LAUNCH", "H", "GRAPH_STREAM", "cuGraphLaunch"),
    ("GRAPH_UPLOAD", "", "GRAPH_STREAM", "cuGraphUpload"),
    ("GRAPH_UPDATE", "", "GRAPH_UPDATE", "cuGraphExecUpdate"),
    (
        "GRAPH_UPDATE",
        "",
        "GRAPH_EXEC_NODE",
        "cuGraphExecKernelNodeSetParams cuGraphExecMemcpyNodeSetParams cuGraphExecMemsetNodeSetParams "
        "cuGraphExecHostNodeSetParams cuGraphExecChildGraphNodeSetParams "
        "cuGraphExecBatchMemOpNodeSetParams "
        "cuGraphExecExternalSemaphoresSignalNodeSetParams "
        "cuGraphExecExternalSemaphoresWaitNodeSetParams",
    ),
    ("GRAPH_UPDATE", "", "GRAPH_EXEC_NODE_EVENT", "cuGraphExecEventRecordNodeSetEvent cuGraphExecEventWaitNodeSetEvent"),
    ("GRAPH_UPDATE", "", "GRAPH_EXEC_NODE_PARAMS", "cuGraphExecNodeSetParams"),
    ("GRAPH_UPDATE", "", "GRAPH_EXEC_NODE_FLAG", "cuGraphNodeSetEnabled"),
    ("GRAPH_BUILD", "", "GRAPH_ADD_NODE_DATA GRAPH_ADD_NODE", "cuGraphAddNode"),
    ("GRAPH_BUILD", "", "GRAPH_ADD_EVENT", "cuGraphAddEventRecordNode cuGraphAddEventWaitNode"),
    (
        "GRAPH_BUILD",
        "",
        "GRAPH_ADD",
        "cuGraphAddKernelNode cuGraphAddMemcpyNode cuGraphAddMemsetNode cuGraphAddHostNode "
        "cuGraphAddChildGraphNode cuGraphAddEmptyNode cuGraphAddExternalSemaphoresSignalNode "
        "cuGraphAddExternalSemaphoresWaitNode cuGraphAddMemAllocNode cuGraphAddMemFreeNode "
        "cuGraphAddBatchMemOpNode",
    ),
    ("GRAPH_BUILD", "", "GRAPH_EDGES_DATA GRAPH_EDGES", "cuGraphAddDependencies cuGraphRemoveDependencies"),
    ("GRAPH_BUILD", "", "GRAPH_NODE", "cuGraphDestroyNode"),
    (
        "GRAPH_BUILD",
        "",
        "GRAPH_NODE_SET",
        "cuGraphKernelNodeSetParams cuGraphMemcpyNodeSetParams cuGraphMemsetNodeSetParams "
        "cuGraphHostNodeSetParams cuGraphBatchMemOpNodeSetParams cuGraphKernelNodeSetAttribute "
        "cuGraphExternalSemaphoresSignalNodeSetParams cuGraphExternalSemaphoresWaitNodeSetParams",
    ),
    ("GRAPH_BUILD", "", "GRAPH_NODE_EVENT", "cuGraphEventRecordNodeSetEvent cuGraphEventWaitNodeSetEvent"),
    ("GRAPH_BUILD", "", "GRAPH_NODE_PARAMS", "cuGraphNodeSetParams"),
    ("GRAPH_BUILD", "", "CAPTURE_EDGES_DATA CAPTURE_EDGES", "cuStreamUpdateCaptureDependencies"),
    ("GRAPH_DESTROY", "", "GRAPH_EXEC", "cuGraphExecDestroy"),
    ("GRAPH_DESTROY", "", "GRAPH", "cuGraphDestroy"),
    ("ALLOC", "", "ALLOC", "cuMemAlloc"),
    ("ALLOC", "", "ALLOC_PITCH", "cuMemAllocPitch"),
    ("ALLOC", "", "ALLOC_FLAGS", "cuMemAllocManaged"),
    ("ALLOC", "", "NONE", "cuArrayCreate cuArray3DCreate cuMipmappedArrayCreate"),
    ("FREE", "", "FREE", "cuMemFree"),
    ("FREE", "", "NONE", "cuArrayDestroy cuMipmappedArrayDestroy"),
    ("ALLOC_ASYNC", "H", "ALLOC_ASYNC", "cuMemAllocAsync"),
    ("ALLOC_ASYNC", "H", "ALLOC_POOL", "cuMemAllocFromPoolAsync"),
    ("FREE_ASYNC", "H", "FREE_ASYNC", "cuMemFreeAsync"),
    ("HOST_ALLOC", "", "ALLOC", "cuMemAllocHost"),
    ("HOST_ALLOC", "", "ALLOC_FLAGS", "cuMemHostAlloc"),
    ("HOST_FREE", "", "FREE", "cuMemFreeHost"),
    ("HOST_REGISTER", "", "HOST_REGISTER", "cuMemHostRegister"),
    ("HOST_UNREGISTER", "", "FREE", "cuMemHostUnregister"),
    ("POOL", "", "POOL_CREATE", "cuMemPoolCreate"),
    ("POOL", "", "POOL", "cuMemPoolDestroy"),
    ("POOL", "", "POOL_TRIM", "cuMemPoolTrimTo"),
    ("POOL", "", "POOL_ATTRIBUTE", "cuMemPoolSetAttribute"),
    ("POOL", "", "POOL_ACCESS", "cuMemPoolSetAccess"),
    ("POOL", "", "POOL_OF_DEVICE", "cuDeviceSetMemPool"),
    ("POOL", "", "POOL_OF_MEMORY", "cuMemSetMemPool"),
    ("PREFETCH", "", "PREFETCH PREFETCH_V2", "cuMemPrefetchAsync"),
    ("PREFETCH", "B", "PREFETCH_BATCH", "cuMemPrefetchBatchAsync"),
    ("PREFETCH", "B", "STREAM_AT_32", "cuMemDiscardBatchAsync"),
    ("PREFETCH", "B", "PREFETCH_BATCH", "cuMemDiscardAndPrefetchBatchAsync"),
    ("MEMOP", "H", "MEMOP_32", "cuStreamWaitValue32 cuStreamWriteValue32"),
    ("MEMOP", "H", "MEMOP_64", "cuStreamWaitValue64 cuStreamWriteValue64"),
    ("MEMOP", "HB", "MEMOP_BATCH", "cuStreamBatchMemOp"),
    ("MEMOP", "", "SEMAPHORES", "cuSignalExternalSemaphoresAsync cuWaitExternalSemaphoresAsync"),
    (
        "MODULE",
        "",
        "MODULE_LOAD",
        "cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary cuLibraryLoadData "
        "cuLibraryLoadFromFile",
    ),
    ("MODULE", "", "MODULE", "cuModuleUnload cuLibraryUnload"),
    ("LIMIT", "", "LIMIT", "cuCtxSetLimit"),
    ("PEER", "P", "PEER", "cuCtxEnablePeerAccess"),
    ("PEER", "P", "CTX", "cuCtxDisablePeerAccess"),
    ("PROFILER", "", "NONE", "cuProfilerStart cuProfilerStop"),
    ("OTHER", "", "ATTACH", "cuStreamAttachMemAsync"),
    # What they open is the value of their exit: its other end is in another process.
    ("OTHER", "", "POINTER_OUT", "cuIpcOpenEventHandle cuIpcOpenMemHandle"),
    ("OTHER", "", "FREE", "cuIpcCloseMemHandle"),
    ("OTHER", "", "POINTER_ATTRIBUTE", "cuPointerSetAttribute"),
    (
        "OTHER",
        "",
        "NONE",
        "cuCtxSetCacheConfig cuFuncSetCacheConfig cuKernelSetCacheConfig cuCtxSetSharedMemConfig"
        " cuFuncSetSharedMemConfig",
    ),
    ("OTHER", "", "CTX_FLAGS", "cuCtxSetFlags"),
    ("OTHER", "", "DEVICE_FLAGS", "cuDevicePrimaryCtxSetFlags"),
    (
        "OTHER",
        "",
        "STREAM",
        "cuStreamSetAttribute cuStreamCopyAttributes",
    ),
    (
        "OTHER",
        "",
        "STREAM_AT_16",
        "cuGraphicsMapResources cuGraphicsUnmapResources cuMemMapArrayAsync",
    ),
    ("OTHER", "", "STREAM_AT_32", "cuMemBatchDecompressAsync"),
    (
        "OTHER",
        "",
        "NONE",
        "cuThreadExchangeStreamCaptureMode cuFlushGPUDirectRDMAWrites "
        "cuImportExternalMemory cuImportExternalSemaphore cuDestroyExternalSemaphore cuMemPoolImportPointer "
        "cuMulticastCreate cuMulticastAddDevice cuMulticastBindMem cuMulticastBindAddr cuMulticastUnbind "
        "cuDeviceGraphMemTrim cuDeviceSetGraphMemAttribute cuGraphConditionalHandleCreate",
    ),
    # Memory that is made and mapped apart: handle and size, address and size.
    ("OTHER", "", "MEM_CREATE", "cuMemCreate"),
    ("OTHER", "", "FREE", "cuMemRelease cuDestroyExternalMemory"),
    ("OTHER", "", "MEM_RANGE", "cuMemMap cuMemUnmap cuMemSetAccess cuMemAdvise"),
]

# Runtime calls with H stand for one driver call each, or are made often: their driver call is what
# is recorded, the entry exists so that a trace can be written or imported with their names.
RUNTIME = [
    ("LAUNCH", "H", "NONE", "cudaLaunch cudaLaunchKernel cudaLaunchKernelExC "
     "cudaLaunchCooperativeKernel cudaLaunchCooperativeKernelMultiDevice __cudaLaunchKernel"),
    ("COPY", "S?", "RT_COPY", "cudaMemcpy"),
    ("COPY", "S?", "RT_COPY_2D", "cudaMemcpy2D"),
    ("COPY", "S?", "RT_COPY_SYMBOL", "cudaMemcpyToSymbol cudaMemcpyFromSymbol"),
    ("COPY", "S=P", "RT_COPY_PEER", "cudaMemcpyPeer"),
    ("COPY", "S?", "NONE", "cudaMemcpyToArray cudaMemcpy2DToArray cudaMemcpyFromArray "
     "cudaMemcpy2DFromArray cudaMemcpy3D"),
    ("COPY", "S=", "NONE", "cudaMemcpyArrayToArray cudaMemcpy2DArrayToArray"),
    ("COPY", "S?P", "NONE", "cudaMemcpy3DPeer"),
    ("COPY", "H?", "NONE", "cudaMemcpyAsync cudaMemcpy2DAsync cudaMemcpyToArrayAsync "
     "cudaMemcpy2DToArrayAsync cudaMemcpyFromArrayAsync cudaMemcpy2DFromArrayAsync "
     "cudaMemcpyToSymbolAsync cudaMemcpyFromSymbolAsync cudaMemcpy3DAsync"),
    ("COPY", "H=P", "NONE", "cudaMemcpyPeerAsync"),
    ("COPY", "H?P", "NONE", "cudaMemcpy3DPeerAsync"),
    ("COPY", "H?B", "NONE", "cudaMemcpyBatchAsync cudaMemcpy3DBatchAsync"),
    ("MEMSET", "S", "RT_MEMSET", "cudaMemset"),
    ("MEMSET", "S", "RT_MEMSET_2D", "cudaMemset2D"),
    ("MEMSET", "S", "NONE", "cudaMemset3D"),
    ("MEMSET", "H", "NONE", "cudaMemsetAsync cudaMemset2DAsync cudaMemset3DAsync"),
    ("EVENT_CREATE", "H", "NONE", "cudaEventCreate cudaEventCreateWithFlags"),
    ("EVENT_RECORD", "H", "NONE", "cudaEventRecord cudaEventRecordWithFlags"),
    ("EVENT_WAIT", "H", "NONE", "cudaStreamWaitEvent"),
    ("EVENT_SYNC", "S", "EVENT", "cudaEventSynchronize"),
    ("EVENT_QUERY", "H", "NONE", "cudaEventQuery"),
    ("EVENT_DESTROY", "H", "NONE", "cudaEventDestroy"),
    ("EVENT_ELAPSED", "H", "NONE", "cudaEventElapsedTime"),
    ("STREAM_CREATE", "H", "NONE", "cudaStreamCreate cudaStreamCreateWithFlags "
     "cudaStreamCreateWithPriority"),
    ("STREAM_DESTROY", "H", "NONE", "cudaStreamDestroy"),
    ("STREAM_SYNC", "S", "STREAM", "cudaStreamSynchronize"),
    ("STREAM_QUERY", "H", "NONE", "cudaStreamQuery"),
    ("CTX_SYNC", "S", "NONE", "cudaDeviceSynchronize cudaThreadSynchronize"),
    ("DEVICE_RESET", "", "NONE", "cudaDeviceReset cudaThreadExit"),
    ("HOST_FUNC", "H", "NONE", "cudaLaunchHostFunc"),
    ("STREAM_CALLBACK", "H", "NONE", "cudaStreamAddCallback"),
    ("CAPTURE_BEGIN", "H", "NONE", "cudaStreamBeginCapture cudaStreamBeginCaptureToGraph"),
    ("CAPTURE_END", "H", "NONE", "cudaStreamEndCapture"),
    ("GRAPH_INSTANTIATE", "H", "NONE", "cudaGraphInstantiate cudaGraphInstantiateWithFlags "
     "cudaGraphInstantiateWithParams"),
    ("GRAPH_LAUNCH", "H", "NONE", "cudaGraphLaunch"),
    ("GRAPH_UPLOAD", "H", "NONE", "cudaGraphUpload"),
    ("GRAPH_UPDATE", "H", "NONE", "cudaGraphExecUpdate"),
    ("GRAPH_DESTROY", "H", "NONE", "cudaGraphExecDestroy cudaGraphDestroy"),
    ("ALLOC", "", "ALLOC", "cudaMalloc"),
    ("ALLOC", "", "ALLOC_FLAGS", "cudaMallocManaged"),
    ("ALLOC", "", "NONE", "cudaMallocPitch cudaMallocArray cudaMalloc3D cudaMalloc3DArray "
     "cudaMallocMipmappedArray"),
    ("FREE", "", "FREE", "cudaFree"),
    ("FREE", "", "NONE", "cudaFreeArray cudaFreeMipmappedArray"),
    ("ALLOC_ASYNC", "H", "NONE", "cudaMallocAsync cudaMallocFromPoolAsync"),
    ("FREE_ASYNC", "H", "NONE", "cudaFreeAsync"),
    ("HOST_ALLOC", "", "ALLOC", "cudaMallocHost"),
    ("HOST_ALLOC", "", "ALLOC_FLAGS", "cudaHostAlloc"),
    ("HOST_FREE", "", "FREE", "cudaFreeHost"),
    ("HOST_REGISTER", "", "HOST_REGISTER", "cudaHostRegister"),
    ("HOST_UNREGISTER", "", "FREE", "cudaHostUnregister"),
    ("POOL", "H", "NONE", "cudaMemPoolCreate cudaMemPoolDestroy cudaMemPoolTrimTo"),
    ("PREFETCH", "H", "NONE", "cudaMemPrefetchAsync cudaMemPrefetchBatchAsync"),
    ("LIMIT", "H", "NONE", "cudaDeviceSetLimit cudaThreadSetLimit"),
    ("PEER", "HP", "NONE", "cudaDeviceEnablePeerAccess cudaDeviceDisablePeerAccess"),
    ("PROFILER", "H", "NONE", "cudaProfilerStart cudaProfilerStop"),
]

# Layouts as member sizes in order: q 8 bytes, i 4, h 2, b 1, L {int, int}. A trailing * allows more.
LAYOUTS = {
    "NONE": "*",
    "LAUNCH": "qiiiiiiiqq*",
    "LAUNCH_EX": "qqqq",
    "LAUNCH_MULTI": "qii",
    "COPY": "qqq",
    "COPY_ASYNC": "qqqq",
    "COPY_TO_ARRAY": "qqqq",
    "COPY_TO_ARRAY_ASYNC": "qqqqq",
    "COPY_FROM_ARRAY": "qqqq",
    "COPY_FROM_ARRAY_ASYNC": "qqqqq",
    "COPY_ARRAY_ARRAY": "qqqqq",
    "COPY_2D": "q",
    "COPY_2D_ASYNC": "qq",
    "COPY_3D": "q",
    "COPY_3D_ASYNC": "qq",
    "COPY_3D_PEER": "q",
    "COPY_3D_PEER_ASYNC": "qq",
    "COPY_PEER": "qqqqq",
    "COPY_PEER_ASYNC": "qqqqqq",
    "COPY_BATCH": "qqqqqqqqq",
    "COPY_BATCH_V2": "qqqqqqqq",
    "COPY_3D_BATCH": "qqqqq",
    "COPY_3D_BATCH_V2": "qqqq",
    "MEMSET_8": "qbq",
    "MEMSET_16": "qhq",
    "MEMSET_32": "qiq",
    "MEMSET_8_ASYNC": "qbqq",
    "MEMSET_16_ASYNC": "qhqq",
    "MEMSET_32_ASYNC": "qiqq",
    "MEMSET_2D_8": "qqbqq",
    "MEMSET_2D_16": "qqhqq",
    "MEMSET_2D_32": "qqiqq",
    "MEMSET_2D_8_ASYNC": "qqbqqq",
    "MEMSET_2D_16_ASYNC": "qqhqqq",
    "MEMSET_2D_32_ASYNC": "qqiqqq",
    "EVENT_CREATE": "qi",
    "EVENT": "q",
    "EVENT_RECORD": "qq",
    "EVENT_RECORD_FLAGS": "qqi",
    "EVENT_ELAPSED": "qqq",
    "CTX_EVENT": "qq",
    "STREAM_CREATE": "qi",
    "STREAM_CREATE_PRIO": "qii",
    "GREEN_STREAM_CREATE": "qqii",
    "STREAM_OUT": "q*",
    "STREAM": "q*",
    "STREAM_WAIT": "qqi",
    "HOST_FUNC": "qqq",
    "STREAM_CALLBACK": "qqqi",
    "CAPTURE_BEGIN": "qi",
    "CAPTURE_TO_GRAPH": "qqqqqi",
    "CAPTURE_END": "qq",
    "GRAPH_INSTANTIATE": "qqqqq",
    "GRAPH_INSTANTIATE_FLAGS": "qqq",
    "GRAPH_INSTANTIATE_PARAMS": "qqq",
    "GRAPH_STREAM": "qq",
    "GRAPH_EXEC": "q*",
    "GRAPH_EXEC_NODE": "qq*",
    "GRAPH_EXEC_NODE_EVENT": "qqq",
    "GRAPH_EXEC_NODE_PARAMS": "qqq",
    "GRAPH_EXEC_NODE_FLAG": "qqi",
    "GRAPH": "q",
    "GRAPH_UPDATE": "qq*",
    "GRAPH_ADD": "qqqq*",
    "GRAPH_ADD_EVENT": "qqqqq",
    "GRAPH_ADD_NODE": "qqqqq",
    "GRAPH_ADD_NODE_DATA": "qqqqqq",
    "GRAPH_EDGES": "qqqq",
    "GRAPH_EDGES_DATA": "qqqqq",
    "GRAPH_NODE": "q",
    "GRAPH_NODE_SET": "q*",
    "GRAPH_NODE_EVENT": "qq",
    "GRAPH_NODE_PARAMS": "qq",
    "CAPTURE_EDGES": "qqqi",
    "CAPTURE_EDGES_DATA": "qqqqi",
    "ALLOC": "qq",
    "ALLOC_FLAGS": "qqi",
    "ALLOC_PITCH": "qqqqi",
    "FREE": "q",
    "HOST_REGISTER": "qqi",
    "MEM_CREATE": "qq*",
    "MEM_RANGE": "qq*",
    "ALLOC_ASYNC": "qqq",
    "ALLOC_POOL": "qqqq",
    "FREE_ASYNC": "qq",
    "POOL_CREATE": "qq",
    "POOL": "q",
    "POOL_TRIM": "qq",
    "POOL_ATTRIBUTE": "qiq",
    "POOL_ACCESS": "qqq",
    "POOL_OF_DEVICE": "iq",
    "POOL_OF_MEMORY": "qiq",
    "PREFETCH": "qqiq",
    "PREFETCH_V2": "qqLiq",
    "PREFETCH_BATCH": "qqqqqqqq",
    "MEMOP_32": "qqii",
    "MEMOP_64": "qqqi",
    "MEMOP_BATCH": "qiqi",
    "SEMAPHORES": "qqiq",
    "ATTACH": "qqqi",
    "POINTER_ATTRIBUTE": "qiq",
    "MODULE_LOAD": "qq*",
    "MODULE": "q",
    "CTX": "q",
    "CTX_OUT": "q*",
    "POINTER_OUT": "q*",
    "CTX_CREATE": "qii",
    "CTX_CREATE_V3": "qqiii",
    "CTX_CREATE_V4": "qqii",
    "CTX_FLAGS": "i",
    "DEVICE_FLAGS": "ii",
    "DEVICE": "i",
    "LIMIT": "iq",
    "PEER": "qi",
    "STREAM_AT_16": "",
    "STREAM_AT_24": "",
    "STREAM_AT_32": "",
    "RT_COPY": "qqqi",
    "RT_COPY_SYMBOL": "qqqqi",
    "RT_COPY_2D": "qqqqqqi",
    "RT_COPY_PEER": "qiqiq",
    "RT_MEMSET": "qiq",
    "RT_MEMSET_2D": "qqiqq",
}

CLASSES = (
    "OTHER LAUNCH COPY MEMSET EVENT_CREATE EVENT_RECORD EVENT_WAIT EVENT_SYNC EVENT_QUERY EVENT_DESTROY "
    "EVENT_ELAPSED STREAM_CREATE STREAM_DESTROY STREAM_SYNC STREAM_QUERY CTX_SYNC CTX_CREATE CTX_DESTROY "
    "DEVICE_RESET HOST_FUNC STREAM_CALLBACK CAPTURE_BEGIN CAPTURE_END GRAPH_INSTANTIATE GRAPH_LAUNCH "
    "GRAPH_UPLOAD GRAPH_UPDATE GRAPH_DESTROY GRAPH_BUILD ALLOC FREE ALLOC_ASYNC FREE_ASYNC HOST_ALLOC HOST_FREE "
    "HOST_REGISTER HOST_UNREGISTER POOL PREFETCH MEMOP MODULE LIMIT PEER PROFILER"
).split()

FOUR_BYTES = (
    "unsigned int|int|CUdevice|CUmemPool_attribute|CUpointer_attribute|CUmemAllocationType|cuuint32_t|CUdeviceptr_v1|CUlimit|CUstreamCaptureMode|CUjit_option|"
    r"enum \w+|CUmemAllocationHandleType|CUstreamAttrID|cudaOutputMode_t"
)


def read(path):
    with open(path, encoding="latin-1") as f:
        return f.read()


def member(declaration):
    """The size letter of one struct member."""
    d = re.sub(r"\s+", " ", declaration.replace("__dv", "")).strip()
    if "*" in d:
        return "q"
    t = re.sub(r"^const ", "", re.sub(r" \w+$", "", d))
    if re.fullmatch(FOUR_BYTES, t):
        return "i"
    if t in ("unsigned char", "char"):
        return "b"
    if t == "unsigned short":
        return "h"
    if t in ("CUmemLocation", "struct cudaMemLocation"):
        return "L"
    if t in ("dim3", "struct cudaPitchedPtr", "struct cudaExtent", "CUipcMemHandle", "CUipcEventHandle",
             "cudaIpcMemHandle_t", "cudaIpcEventHandle_t"):
        return "S"
    if re.fullmatch(r"size_t|unsigned long long|cuuint64_t|CU\w+|cuda\w+_t", t):
        return "q"
    raise SystemExit("gen_cbid_table.py: member of unknown size: " + d)


def structs(include, names):
    """name of the call -> [(size letter, declaration)], for the calls of interest"""
    out = {}
    for name in ("generated_cuda_meta.h", "generated_cuda_runtime_api_meta.h",
                 "generated_cudart_removed_meta.h"):
        for call, body in re.findall(r"typedef struct (\w+)_params_st \{(.*?)\}", read(
                os.path.join(include, name)), re.S):
            if base_name(call) in names:
                out[call] = [(member(m), m) for m in body.split(";") if m.strip()]
    return out


def offsets(letters):
    at = 0
    for c in letters:
        size, align = {"q": (8, 8), "i": (4, 4), "h": (2, 2), "b": (1, 1), "L": (8, 4)}[c]
        at = (at + align - 1) // align * align
        yield at
        at += size


def layout_of(symbol, wanted, known):
    """The first wanted layout that the call's parameters have; NONE for the 32-bit originals."""
    members = known.get(symbol)
    if members is None or wanted == ["NONE"]:
        return "NONE"
    letters = "".join(m[0] for m in members)
    if any(re.search(r"CUdeviceptr_v1|CUDA_MEMCPY\w+_v1", m[1]) for m in members):
        return "NONE"
    for w in wanted:
        shape = LAYOUTS[w]
        if w.startswith("STREAM_AT_"):
            for at, m in zip(offsets(letters), members):
                if at == int(w[len("STREAM_AT_"):]) and re.search(r"CUstream \w+$", m[1].strip()):
                    return w
        elif w == "STREAM" and not re.search(r"(CUstream|cudaStream_t) \w+$", members[0][1].strip()):
            continue
        elif letters == shape or shape.endswith("*") and letters.startswith(shape[:-1]):
            return w
    if not re.search(r"_v\d+(_pt\w\w)?$", symbol) and symbol + "_v2" in known:
        return "NONE"  # an original whose sizes are 32 bits wide
    raise SystemExit("gen_cbid_table.py: %s has members %s, none of %s" % (symbol, letters, wanted))


def base_name(symbol):
    name = re.sub(r"_pt[sd][sz]", "", symbol)
    name = re.sub(r"_v\d+", "", name)  # cudaStreamGetCaptureInfo_v2_v11030 has two
    return re.sub(r"_v\d+$", "", re.sub(r"^cu64", "cu", name))


def entries(include):
    for domain, header, table in (
        ("DRIVER", "cupti_driver_cbid.h", DRIVER),
        ("RUNTIME", "cupti_runtime_cbid.h", RUNTIME),
    ):
        calls = {}
        for cls, flags, layouts, names in table:
            assert cls in CLASSES, cls
            for n in names.split():
                assert n not in calls, n
                calls[n] = (cls, flags, layouts.split())
        known = structs(include, calls)
        seen = set()
        text = read(os.path.join(include, header))
        pattern = r"CUPTI_%s_TRACE_CBID_(\w+)\s*=\s*(\d+)" % domain
        for symbol, cbid in sorted(re.findall(pattern, text), key=lambda c: int(c[1])):
            name = base_name(symbol)
            if name not in calls:
                continue
            seen.add(name)
            cls, letters, layouts = calls[name]
            flags = ["GST_API_" + FLAGS[c] for c in letters]
            if "_ptsz" in symbol:
                flags.append("GST_API_PTSZ")
            if "_ptds" in symbol:
                flags.append("GST_API_PTDS")
            plain = re.sub(r"_pt[sd][sz]", "", symbol)
            params = layout_of(symbol if symbol in known else plain, layouts, known)
            yield domain, int(cbid), symbol, name, cls, " | ".join(flags) or "0", params
        missing = set(calls) - seen
        if missing:
            raise SystemExit("gen_cbid_table.py: no callback id for " + " ".join(sorted(missing)))


HEAD = """\
/* Made by tools/gen_cbid_table.py from the callback ids of CUPTI %s: change that, not this. */
/*
 * api.def - the CUDA calls gstrace knows, by domain and callback id.
 *
 *   GST_API(domain, cbid, symbol, name, class, flags, layout)
 *
 * symbol is unique and names the very variant; name is what its user wrote; both are bare words. Define
 * GST_API before including this. Meanings: api.h. Lines are sorted by domain and callback id.
 */
/* clang-format off */
"""


ORDER_HEAD = """\
/* Made by tools/gen_cbid_table.py, with api.def: change that, not this. */
/* Indexes into the table of api.def, for searches by name. */
/* clang-format off */
"""


def wrapped(macro, numbers):
    """A macro call over lines of at most 100 columns."""
    lines, line = [], macro + "("
    for i, n in enumerate(numbers):
        piece = "%d%s" % (n, ")" if i + 1 == len(numbers) else ", ")
        if len(line + piece.rstrip()) > 100:
            lines.append(line.rstrip())
            line = "\t"
        line += piece
    return "\n".join(lines + [line]) + "\n"


def order_text(table):
    by_symbol = sorted(range(len(table)), key=lambda i: table[i][2])
    best = {}  # name -> the newest variant for the legacy default stream
    for i, (_, cbid, symbol, name, _, _, _) in enumerate(table):
        rank = ("_pts" not in symbol and "_ptd" not in symbol, not symbol.startswith("cu64"), cbid)
        if name not in best or rank > best[name][0]:
            best[name] = (rank, i)
    by_name = [best[n][1] for n in sorted(best)]
    return (ORDER_HEAD + wrapped("GST_API_BY_SYMBOL", by_symbol) + wrapped("GST_API_BY_NAME", by_name) +
            "/* clang-format on */\n")


def check(folder, files):
    """Exit with a message unless the files are current, or part of what another toolkit gives."""
    have = {name: read(os.path.join(folder, name)) for name in files}
    first = have["api.def"].split("\n")[0]
    if first == files["api.def"].split("\n")[0]:
        stale = [name for name in files if have[name] != files[name]]
    else:
        # Another toolkit knows more calls; those of ours must be among them, as they are.
        calls = [line for line in have["api.def"].split("\n") if line.startswith("GST_API(")]
        stale = [line for line in calls if line not in set(files["api.def"].split("\n"))]
    if stale:
        sys.exit("gen_cbid_table.py: not what the toolkit and the lists give: " + stale[0])


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--cuda", default=os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    p.add_argument("--check", action="store_true")
    p.add_argument("-o", default=os.path.join(os.path.dirname(__file__), "../tracer/format"))
    a = p.parse_args()
    include = os.path.join(a.cuda, "include")
    if not os.path.exists(os.path.join(include, "cupti_driver_cbid.h")):
        include = os.path.join(a.cuda, "extras/CUPTI/include")
    version = re.search(r"define CUPTI_API_VERSION (\d+)", read(os.path.join(include, "cupti_version.h")))
    table = list(entries(include))
    lines = ['GST_API(%s, %d, %s, %s, %s, %s, %s)\n' % row for row in table]
    files = {
        "api.def": HEAD % version.group(1) + "".join(lines) + "/* clang-format on */\n",
        "api_order.def": order_text(table),
    }
    if a.check:
        check(a.o, files)
        return
    for name, text in files.items():
        path = os.path.join(a.o, name)
        with open(path + ".tmp", "w", encoding="ascii") as f:
            f.write(text)
        os.replace(path + ".tmp", path)


if __name__ == "__main__":
    main()
