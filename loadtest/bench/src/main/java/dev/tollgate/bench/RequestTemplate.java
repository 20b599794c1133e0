package dev.tollgate.bench;

import io.netty.buffer.ByteBuf;

/**
 * Request that a load sends repeatedly: its bytes, the kind of its reply, and the tally that counts
 * it.
 */
record RequestTemplate(ByteBuf request, Reply reply, Tally tally) {
  /** Kind of the expected reply. */
  sealed interface Reply {
    record Plain() implements Reply {}

    record Streamed(Script script) implements Reply {}
  }
}
