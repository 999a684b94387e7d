/*
 * fake_script.h - programs for the fake CUDA as text: one statement a CUDA call.
 *
 * Words are separated by blanks, statements by newlines or ";"; "#" begins a comment. Durations: 10ns 5us
 * 2ms 1s. Sizes: 64 4KiB 1MiB. STREAM is a name, 0, legacy or per-thread.
 *
 *   stream NAME [blocking|nonblocking] [PRIORITY]     destroy NAME            event NAME
 *   launch STREAM KERNEL DURATION                     launch-ex STREAM KERNEL DURATION
 *   memcpy h2d|d2h|d2d|h2h pageable|pinned SIZE [STREAM]   without STREAM: the synchronous form
 *   memset SIZE STREAM      hostfunc STREAM DURATION
 *   record EVENT STREAM     wait STREAM EVENT         query NAME    sync NAME    devsync    reset
 *   unload                  the module that the first launch loads: the next one loads it again
 *   malloc NAME SIZE [STREAM]   free NAME [STREAM]    hostalloc NAME SIZE    hostfree NAME
 *   hostrun STREAM DURATION    a host function that really runs    hostruns   prints how many did
 *   nvtx WHAT [TEXT] | start TEXT NAME | end NAME | name-stream TEXT STREAM     as fake_nvtx() lists
 *   memory WHAT [STREAM]    as fake_memory() lists       profiler on|off
 *   capture STREAM    endcapture STREAM GRAPH    instantiate GRAPH EXEC    graphlaunch EXEC STREAM
 *
 *   init                    cuInit (the first call does it too)
 *   runtime on|off          calls through the runtime, or the driver alone
 *   default-stream legacy|per-thread
 *   repeat N { ... }        thread { ... }    join    fork { ... }   (the child then exits)
 *   pace DURATION           wait until so long after the thread's last pace was due
 *   sleep DURATION    print WORD    exit N    _exit N    quick_exit N    abort    kill   (SIGKILL to itself)
 *   segv    exec PATH       as another program
 *   inside STATEMENT        run one of the last two lines inside the thread's next call
 *   fail N                  the thread's next call does nothing and returns N
 *
 *   fault version N | held NAME | enable KIND RESULT | callback DOMAIN CBID RESULT | silence DOMAIN |
 *         hang-flush | hang-enable | slow-flush DURATION | await-flush |
 *         keep-buffers | grow BYTES | zero-times N | reverse-times N | drop N |
 *         unknown KIND | finalize | entry FUNCTION RESULT
 */
#ifndef GSTRACE_TRACER_FAKE_CUPTI_FAKE_SCRIPT_H
#define GSTRACE_TRACER_FAKE_CUPTI_FAKE_SCRIPT_H

/**
 * Run @text; returns 0, or 2 after a message on stderr for a statement that it does not know (a
 * script in error is found before any of it runs). May end the process: that is what exit is for.
 */
int fake_run_script(const char *text);

#endif
