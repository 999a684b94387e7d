-- schema.sql - the tables of a trace exported by `gstrace export --sqlite`; docs/SCHEMA.md explains them.
--
-- Times end in _ns: nanoseconds since the trace's zero (meta: base_ns). Sizes end in _bytes. An id column named
-- X_id refers to the table of Xs; NULL means none, or not known. Flags begin with is_ or has_: 0 or 1.
-- The version of this schema is PRAGMA user_version; within a version only additions are made.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;

-- Why an input is not complete.
CREATE TABLE gaps (
  id INTEGER PRIMARY KEY,
  input INTEGER NOT NULL,
  count INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE TABLE processes (
  id INTEGER PRIMARY KEY,
  pid INTEGER,
  ppid INTEGER,
  name TEXT,
  executable TEXT,
  command_line TEXT,
  host TEXT,
  trace_uuid TEXT,
  driver_version INTEGER,
  driver_release TEXT,
  runtime_version INTEGER,
  cupti_version INTEGER,
  is_complete INTEGER NOT NULL,
  is_unbroken INTEGER NOT NULL,
  clock_uncertainty_ns INTEGER NOT NULL
) STRICT;

-- Environment variables that change how CUDA orders work.
CREATE TABLE variables (
  process_id INTEGER NOT NULL REFERENCES processes,
  name TEXT NOT NULL,
  value TEXT
) STRICT;

CREATE TABLE devices (
  id INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL REFERENCES processes,
  cupti_id INTEGER NOT NULL,
  name TEXT,
  uuid TEXT,
  pci_address TEXT,
  compute_major INTEGER NOT NULL,
  compute_minor INTEGER NOT NULL,
  sm_count INTEGER NOT NULL,
  copy_engine_count INTEGER,
  memory_bytes INTEGER NOT NULL
) STRICT;

CREATE TABLE contexts (
  id INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL REFERENCES processes,
  device_id INTEGER REFERENCES devices,
  cupti_id INTEGER NOT NULL,
  parent_id INTEGER REFERENCES contexts
) STRICT;

CREATE TABLE threads (
  id INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL REFERENCES processes,
  tid INTEGER NOT NULL,
  name TEXT
) STRICT;

-- One life of a stream. kind: blocking, nonblocking, legacy, per-thread, unknown. busy_ns: NULL if the trace was not to tell
-- when work ran (--mode=order).
CREATE TABLE streams (
  id INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL REFERENCES processes,
  context_id INTEGER REFERENCES contexts,
  cupti_id INTEGER,
  handle INTEGER,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  priority INTEGER NOT NULL,
  thread_id INTEGER REFERENCES threads,
  create_call_id INTEGER REFERENCES calls,
  destroy_call_id INTEGER REFERENCES calls,
  is_internal INTEGER NOT NULL,
  op_count INTEGER NOT NULL,
  busy_ns INTEGER
) STRICT;

-- One life of a CUDA event.
CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL REFERENCES processes,
  handle INTEGER NOT NULL,
  flags INTEGER,
  create_call_id INTEGER REFERENCES calls,
  destroy_call_id INTEGER REFERENCES calls,
  is_history_complete INTEGER NOT NULL
) STRICT;

CREATE TABLE apis (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  class TEXT NOT NULL
) STRICT;

-- Outermost API calls, in the order of their begin. exit_ns NULL: never returned. is_ambiguous: it overlaps a call of
-- another thread with which its order matters, or is closer to one than times of calls may be early (0.3 us where the trace
-- has the option counted-calls), and nothing else proves which came first.
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  thread_id INTEGER NOT NULL REFERENCES threads,
  api_id INTEGER NOT NULL REFERENCES apis,
  correlation INTEGER NOT NULL,
  enter_ns INTEGER,
  exit_ns INTEGER,
  result INTEGER,
  context_id INTEGER REFERENCES contexts,
  stream_id INTEGER REFERENCES streams,
  event_id INTEGER REFERENCES events,
  op_count INTEGER NOT NULL,
  is_captured INTEGER NOT NULL,
  is_ambiguous INTEGER NOT NULL,
  nvtx_range_id INTEGER REFERENCES nvtx_ranges
) STRICT;

-- NVTX. kind: push (ends in its thread, within parent_id), start (ends in any thread), mark (a moment).
-- end_ns NULL: not ended in what was read. payload: integer, or real.
CREATE TABLE nvtx_ranges (
  id INTEGER PRIMARY KEY,
  thread_id INTEGER NOT NULL REFERENCES threads,
  kind TEXT NOT NULL,
  name TEXT,
  domain TEXT,
  category INTEGER,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER,
  parent_id INTEGER REFERENCES nvtx_ranges,
  color INTEGER,
  payload ANY
) STRICT;

-- Names that the program gave by NVTX. kind: what is named. thread_id, stream_id: whose name it is now.
CREATE TABLE nvtx_names (
  id INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL REFERENCES processes,
  kind TEXT NOT NULL,
  object INTEGER NOT NULL,
  name TEXT,
  domain TEXT,
  thread_id INTEGER REFERENCES threads,
  stream_id INTEGER REFERENCES streams
) STRICT;

CREATE TABLE names (
  id INTEGER PRIMARY KEY,
  mangled TEXT NOT NULL,
  name TEXT NOT NULL
) STRICT;

-- Units of work in streams. begin_ns and end_ns are NULL unless they were measured. A graph launch that is
-- known by its nodes alone has the span of those in nodes_begin_ns and nodes_end_ns: it may be longer.
CREATE TABLE ops (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  name_id INTEGER REFERENCES names,
  call_id INTEGER REFERENCES calls,
  stream_id INTEGER REFERENCES streams,
  event_id INTEGER REFERENCES events,
  begin_ns INTEGER,
  end_ns INTEGER,
  graph_launch_op_id INTEGER REFERENCES ops,
  nodes_begin_ns INTEGER,
  nodes_end_ns INTEGER,
  is_lost INTEGER NOT NULL,
  is_forced INTEGER NOT NULL,
  is_programmatic INTEGER NOT NULL,
  is_stream_guessed INTEGER NOT NULL,
  graph_node_id INTEGER REFERENCES graph_nodes,
  graph_exec_id INTEGER REFERENCES graph_execs
) STRICT;

-- A graph of the program, or the clone that an executable graph runs. node_count: the program's, without removed
-- ones; opaque_node_count: of these, ordered by their launch alone.
CREATE TABLE graphs (
  id INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL REFERENCES processes,
  cupti_id INTEGER NOT NULL,
  handle INTEGER,
  original_id INTEGER REFERENCES graphs,
  make_call_id INTEGER REFERENCES calls,
  node_count INTEGER NOT NULL,
  edge_count INTEGER NOT NULL,
  opaque_node_count INTEGER NOT NULL
) STRICT;

-- kind: kernel, memcpy, memset, host-function, child-graph, empty, event-wait, event-record, semaphore-signal,
-- semaphore-wait, alloc, free, memory-op, conditional, unknown. is_internal: put there by CUDA or CUPTI.
CREATE TABLE graph_nodes (
  id INTEGER PRIMARY KEY,
  graph_id INTEGER NOT NULL REFERENCES graphs,
  cupti_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT,
  original_id INTEGER REFERENCES graph_nodes,
  make_call_id INTEGER REFERENCES calls,
  remove_call_id INTEGER REFERENCES calls,
  is_internal INTEGER NOT NULL,
  is_opaque INTEGER NOT NULL
) STRICT;

-- A dependency, from when it was made until it was removed. port: default, programmatic, launch-order, other, unknown.
CREATE TABLE graph_edges (
  id INTEGER PRIMARY KEY,
  from_node_id INTEGER NOT NULL REFERENCES graph_nodes,
  to_node_id INTEGER NOT NULL REFERENCES graph_nodes,
  port TEXT NOT NULL,
  make_call_id INTEGER REFERENCES calls,
  remove_call_id INTEGER REFERENCES calls
) STRICT;

-- One life of an executable graph; graph_id: what it runs, source_graph_id: the program's graph it was made from.
CREATE TABLE graph_execs (
  id INTEGER PRIMARY KEY,
  process_id INTEGER NOT NULL REFERENCES processes,
  handle INTEGER NOT NULL,
  graph_id INTEGER REFERENCES graphs,
  source_graph_id INTEGER REFERENCES graphs,
  make_call_id INTEGER REFERENCES calls,
  destroy_call_id INTEGER REFERENCES calls,
  launch_count INTEGER NOT NULL,
  upload_count INTEGER NOT NULL,
  update_count INTEGER NOT NULL,
  node_change_count INTEGER NOT NULL,
  node_run_count INTEGER,
  busy_ns INTEGER
) STRICT;

CREATE TABLE kernels (
  op_id INTEGER PRIMARY KEY REFERENCES ops,
  grid_x INTEGER NOT NULL,
  grid_y INTEGER NOT NULL,
  grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL,
  block_y INTEGER NOT NULL,
  block_z INTEGER NOT NULL,
  registers_per_thread INTEGER NOT NULL,
  shared_static_bytes INTEGER NOT NULL,
  shared_dynamic_bytes INTEGER NOT NULL
) STRICT;

CREATE TABLE copies (
  op_id INTEGER PRIMARY KEY REFERENCES ops,
  direction TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  source_memory TEXT NOT NULL,
  target_memory TEXT NOT NULL,
  is_async INTEGER NOT NULL,
  is_peer INTEGER NOT NULL
) STRICT;

CREATE TABLE memsets (
  op_id INTEGER PRIMARY KEY REFERENCES ops,
  bytes INTEGER NOT NULL,
  memory TEXT NOT NULL,
  is_async INTEGER NOT NULL
) STRICT;

CREATE TABLE rules (
  id TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  source TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Points where many streams meet; owner: the op or call that they are for.
CREATE TABLE barriers (
  id INTEGER PRIMARY KEY,
  owner_kind TEXT,
  owner_id INTEGER
) STRICT;

-- What comes before what, and why. Kinds: op, call, barrier. form: which ends the edge joins, such as
-- 'end-begin'. strength, after a look at the times: documented, observed, possible (no evidence), disproved.
CREATE TABLE edges (
  id INTEGER PRIMARY KEY,
  from_kind TEXT NOT NULL,
  from_id INTEGER NOT NULL,
  to_kind TEXT NOT NULL,
  to_id INTEGER NOT NULL,
  rule_id TEXT NOT NULL REFERENCES rules,
  form TEXT NOT NULL,
  strength TEXT NOT NULL,
  is_unchecked INTEGER NOT NULL
) STRICT;

-- id: the number that `gstrace analyze` gives it. Costs are NULL where they are not known (withheld: why); cost_ns alone is
-- where no more than an upper bound is known, cost_high_ns.
CREATE TABLE findings (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  severity TEXT NOT NULL,
  cost_ns INTEGER,
  cost_low_ns INTEGER,
  cost_high_ns INTEGER,
  blocked_ns INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  occurrence_count INTEGER NOT NULL,
  title TEXT NOT NULL,
  detail TEXT,
  advice TEXT,
  withheld TEXT
) STRICT;

-- Occurrences, the first 1000 of each finding.
CREATE TABLE finding_evidence (
  finding_id INTEGER NOT NULL REFERENCES findings,
  number INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  blocked_ns INTEGER NOT NULL,
  waiter_op_id INTEGER REFERENCES ops,
  culprit_op_id INTEGER REFERENCES ops,
  call_id INTEGER REFERENCES calls,
  PRIMARY KEY (finding_id, number)
) STRICT, WITHOUT ROWID;

-- The edges that prove the first occurrence, from the culprit to the waiter.
CREATE TABLE finding_path (
  finding_id INTEGER NOT NULL REFERENCES findings,
  number INTEGER NOT NULL,
  edge_id INTEGER NOT NULL REFERENCES edges,
  PRIMARY KEY (finding_id, number)
) STRICT, WITHOUT ROWID;

-- The critical path, one stretch after the other (docs/CRITICAL.md). node: what ran, was about to, or was called;
-- from: what it had to wait for, or the call before.
CREATE TABLE critical_path (
  id INTEGER PRIMARY KEY,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  cause TEXT NOT NULL,
  unknown TEXT,
  node_kind TEXT,
  node_id INTEGER,
  from_kind TEXT,
  from_id INTEGER,
  rule_id TEXT REFERENCES rules,
  held_ns INTEGER
) STRICT;

-- Records that are not in the trace. count NULL: not known how many; times NULL: at any time.
CREATE TABLE losses (
  id INTEGER PRIMARY KEY,
  process_id INTEGER REFERENCES processes,
  record_kind TEXT,
  reason TEXT NOT NULL,
  count INTEGER,
  since_ns INTEGER,
  until_ns INTEGER
) STRICT;

CREATE TABLE notes (
  id INTEGER PRIMARY KEY,
  process_id INTEGER REFERENCES processes,
  code TEXT NOT NULL,
  detail INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,
  text TEXT
) STRICT;

-- After the rows.

CREATE INDEX ops_by_stream ON ops (stream_id, begin_ns);
CREATE INDEX ops_by_call ON ops (call_id);
CREATE INDEX ops_by_name ON ops (name_id);
CREATE INDEX calls_by_thread ON calls (thread_id, enter_ns);
CREATE INDEX calls_by_api ON calls (api_id);
CREATE INDEX edges_by_target ON edges (to_id, to_kind);
CREATE INDEX edges_by_source ON edges (from_id, from_kind);

-- Ops with all that is usually asked for.
CREATE VIEW v_ops AS
SELECT ops.id AS op_id, ops.kind,
       coalesce(names.name, CASE WHEN copies.op_id IS NULL THEN ops.kind
                                 ELSE 'memcpy ' || copies.direction END) AS name,
       begin_ns, end_ns, end_ns - begin_ns AS duration_ns,
       streams.name AS stream, ops.stream_id, streams.context_id, contexts.device_id,
       streams.process_id, ops.call_id, apis.name AS api, calls.enter_ns AS submitted_ns,
       coalesce(copies.bytes, memsets.bytes) AS bytes, graph_launch_op_id, ops.event_id,
       (SELECT nvtx_ranges.name FROM nvtx_ranges WHERE nvtx_ranges.id = calls.nvtx_range_id) AS nvtx_range
FROM ops
LEFT JOIN names ON names.id = ops.name_id
LEFT JOIN streams ON streams.id = ops.stream_id
LEFT JOIN contexts ON contexts.id = streams.context_id
LEFT JOIN calls ON calls.id = ops.call_id
LEFT JOIN apis ON apis.id = calls.api_id
LEFT JOIN copies ON copies.op_id = ops.id
LEFT JOIN memsets ON memsets.op_id = ops.id;

CREATE VIEW v_calls AS
SELECT calls.id AS call_id, apis.name AS api, apis.class, enter_ns, exit_ns,
       exit_ns - enter_ns AS duration_ns, result, threads.tid, threads.name AS thread, thread_id,
       threads.process_id, stream_id, correlation,
       (SELECT nvtx_ranges.name FROM nvtx_ranges WHERE nvtx_ranges.id = calls.nvtx_range_id) AS nvtx_range
FROM calls
JOIN apis ON apis.id = calls.api_id
JOIN threads ON threads.id = calls.thread_id;

-- Edges with the moments they join: from_ns is when the source let go, to_ns when the target went on.
CREATE VIEW v_edges AS
SELECT edges.id AS edge_id, rule_id, rules.text AS rule, strength, form,
       from_kind, from_id,
       CASE from_kind WHEN 'op' THEN CASE form WHEN 'begin-begin' THEN a.begin_ns ELSE a.end_ns END
                      WHEN 'call' THEN CASE form WHEN 'enter->begin' THEN c.enter_ns ELSE c.exit_ns END
       END AS from_ns,
       to_kind, to_id,
       CASE to_kind WHEN 'op' THEN b.begin_ns
                    WHEN 'call' THEN CASE form WHEN 'end-exit' THEN d.exit_ns ELSE d.enter_ns END
       END AS to_ns
FROM edges
JOIN rules ON rules.id = edges.rule_id
LEFT JOIN ops a ON from_kind = 'op' AND a.id = from_id
LEFT JOIN ops b ON to_kind = 'op' AND b.id = to_id
LEFT JOIN calls c ON from_kind = 'call' AND c.id = from_id
LEFT JOIN calls d ON to_kind = 'call' AND d.id = to_id;

-- What calls waited for: the ops whose end a call's return waited for, directly or through a barrier. Of a barrier
-- that stands on an earlier one, the ops that are new since that one.
CREATE VIEW v_host_waits AS
SELECT to_id AS call_id, rule_id, strength, from_id AS op_id
FROM edges
WHERE to_kind = 'call' AND form = 'end-exit' AND from_kind = 'op'
UNION ALL
SELECT e.to_id, e.rule_id, e.strength, b.from_id
FROM edges e
JOIN edges b ON b.to_id = e.from_id AND b.to_kind = 'barrier' AND b.from_kind = 'op'
WHERE e.to_kind = 'call' AND e.form = 'end-exit' AND e.from_kind = 'barrier';
