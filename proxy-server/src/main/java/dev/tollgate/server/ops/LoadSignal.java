package dev.tollgate.server.ops;

import java.util.Locale;

/** What a node can run out of, and how far the lack of it alone may drive the shedding. */
public enum LoadSignal {
  /** Open client connections of {@code listeners.api.max_connections}: the idle ones may go. */
  CONNECTIONS(LoadLevel.IDLE_CONNECTIONS),
  /** Bodies and buffered replies of {@code server.max_inflight_bytes}. */
  INFLIGHT_BYTES(LoadLevel.INTERACTIVE),
  /** What lives behind a garbage collection, of {@code server.overload.heap} of the heap. */
  HEAP(LoadLevel.CONNECTIONS),
  /** Buffers in use, of {@code server.overload.direct_memory} of the direct memory. */
  DIRECT_MEMORY(LoadLevel.STALLED_STREAMS),
  /** Charges that are not in the books, of {@code server.overload.journal_backlog}. */
  JOURNAL_BACKLOG(LoadLevel.INTERACTIVE),
  /** Blocking tasks that wait, of {@code server.overload.offload_queue}: questions make most. */
  OFFLOAD_QUEUE(LoadLevel.LOOKUPS);

  private final LoadLevel levelMax;
  private final String label = name().toLowerCase(Locale.ROOT);

  LoadSignal(LoadLevel levelMax) {
    this.levelMax = levelMax;
  }

  LoadLevel levelMax() {
    return levelMax;
  }

  /** The name in metrics. */
  String label() {
    return label;
  }
}
