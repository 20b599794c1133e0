package dev.tollgate.bench;

import io.netty.buffer.ByteBuf;

/** What is asked again and again: the bytes of the request, how its reply is read, who counts. */
record RequestTemplate(ByteBuf request, Reply reply, Tally tally) {
  /** Whether one body or a stream is expected. */
  sealed interface Reply {
    record Plain() implements Reply {}

    record Streamed(Script script) implements Reply {}
  }
}
