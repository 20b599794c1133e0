package dev.tollgate.server.ops;

import java.util.Locale;

/**
 * Resource whose fill is a signal for load shedding, with the highest load level that it alone can
 * cause.
 */
public enum LoadSignal {
  /** Open client connections of {@code listeners.api.max_connections}; idle ones can be closed. */
  CONNECTIONS(LoadLevel.IDLE_CONNECTIONS),
  /** Bodies and buffered replies of {@code server.max_inflight_bytes}. */
  INFLIGHT_BYTES(LoadLevel.INTERACTIVE),
  /** Live data after a garbage collection, of {@code server.overload.heap} of the heap. */
  HEAP(LoadLevel.CONNECTIONS),
  /** Buffers in use, of {@code server.overload.direct_memory} of the direct memory. */
  DIRECT_MEMORY(LoadLevel.STALLED_STREAMS),
  /** Unsettled charges, of {@code server.overload.journal_backlog}. */
  JOURNAL_BACKLOG(LoadLevel.INTERACTIVE),
  /** Queued blocking tasks, of {@code server.overload.offload_queue}; most are queries. */
  OFFLOAD_QUEUE(LoadLevel.LOOKUPS);

  private final LoadLevel levelMax;
  private final String label = name().toLowerCase(Locale.ROOT);

  LoadSignal(LoadLevel levelMax) {
    this.levelMax = levelMax;
  }

  LoadLevel levelMax() {
    return levelMax;
  }

  /** Returns the name in metrics. */
  String label() {
    return label;
  }
}
