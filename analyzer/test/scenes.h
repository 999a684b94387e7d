/* scenes.h - for tests: the runs that tests of timing and check share, with their times worked out by hand. */
#ifndef GSTRACE_ANALYZER_TEST_SCENES_H
#define GSTRACE_ANALYZER_TEST_SCENES_H

#include "analyzer/test/scene.h"

/*
 * Four rounds of first (1000 us, stream 1), middle (2000 us, legacy), last (3000 us, stream 2), launched at
 * once; a round of launches takes 30 us, each kernel could begin 10 us after its call.
 *
 *   first 1   20..1020     first k+1 = end of middle k .. + 1000
 *   middle k  1020 + 5000 (k-1) .. + 2000          (last k-1 ends then, first k is over)
 *   last k    3020 + 5000 (k-1) .. + 3000          last 4 ends at 21020, the wait at 21030
 *
 * Without the barrier last 1 begins 10 us after its call at 30, the four last end at 40 + 12000 = 12040, the
 * wait 10 us later: 21030 - 12050 = 8980 us are gained.
 * Some op waits for the barrier all the time from 20 (middle 1 is launched) to 18020 (last 4 begins): 18000 us.
 */
#define GST_SCENE_DEFAULT_GAIN_US    8980
#define GST_SCENE_DEFAULT_BLOCKED_US 18000
void gst_scene_default_stream(struct gst_scene *s, bool is_blocking);

/*
 * Two non-blocking streams; in each a kernel of 5000 us and a copy back of 970 us to pageable memory, whose
 * "Async" call returns 10 us after the copy.
 *
 *   k1 20..5020   d1 5020..5990    its call 20..6000
 *   k2 6020..11020 d2 11020..11990 its call 6020..12000    device synchronize 12030..12040
 *
 * Asynchronous, d1's call takes its last 10 us alone: k2 is launched at 40 and runs 50..5050. The copies
 * share an engine: d2 5990..6960, synchronize returns at 6970: 12040 - 6970 = 5070 us are gained.
 * Each call took 5980 us, a pinned copy's is taken to be 20: blocked 2 * 5960.
 */
#define GST_SCENE_PAGEABLE_GAIN_US    5070
#define GST_SCENE_PAGEABLE_BLOCKED_US 11920
void gst_scene_pageable(struct gst_scene *s, bool is_pageable);

/*
 * background (6000 us, stream 2) beside four steps of 1000 us in stream 1, each followed by a synchronize of the
 * whole device (or of stream 1).
 *
 *   background 20..6020, step 1 30..1030, synchronize 30..6030
 *   step 2 6050..7050 (synchronize returns 7060), step 3 7080..8080 (8090), step 4 8110..9110 (9120)
 *
 * Waiting for stream 1 alone the steps end at 1030, 2060, 3090, 4120; the last synchronize waits for
 * background and returns at 6030: 9120 - 6030 = 3090 us are gained. Blocked: 1030..6020.
 */
#define GST_SCENE_BROAD_GAIN_US	   3090
#define GST_SCENE_BROAD_BLOCKED_US 4990
void gst_scene_device_sync(struct gst_scene *s, bool is_broad);

/*
 * Two rounds of a synchronous copy from pinned memory (2390 us), a kernel of 1500 us that has nothing to do with it
 * in a non-blocking stream, a wait for that stream, 100 us of host work.
 *
 *   copy 1010..3400 (call 1000..3410)  kernel 3430..4930  wait ..4940
 *   copy 5050..7440 (call 5040..7450)  kernel 7470..8970  wait ..8980
 *
 * With the copy's wait moved to the wait for the stream: kernel 1030..2530, wait until 3410; copy 3520..5910,
 * kernel 3540..5040, wait until 5920: 8980 - 5920 = 3060 us are gained. Blocked: 2 * 2400.
 */
#define GST_SCENE_SYNC_COPY_GAIN_US    3060
#define GST_SCENE_SYNC_COPY_BLOCKED_US 4800
void gst_scene_sync_copy(struct gst_scene *s, bool is_sync);

#endif
