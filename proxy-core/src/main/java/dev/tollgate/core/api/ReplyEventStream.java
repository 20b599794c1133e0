package dev.tollgate.core.api;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;

/**
 * Translation of one provider's event stream into the client's, event by event. It keeps the state
 * of the stream: content seen, finish, last usage, delivered content. Not thread safe: one attempt
 * on one loop.
 *
 * <p>Nothing is written before the first content, because a provider that fails before that can
 * still be replaced by another (docs/decisions/streaming.md#commit).
 */
public non-sealed interface ReplyEventStream extends StreamingReply {
  /** Result of one event. */
  enum Step {
    /** Not a chunk: dropped and counted; the stream continues. */
    DROPPED,
    /** Nothing for the client, or kept until content comes. */
    ABSORBED,
    /** Written to the client. */
    WROTE,
    /** The terminator. */
    DONE,
    /** An error object; the event's bytes contain it. */
    ERROR,
    /** The finish reason is a failure of the provider. */
    FAILED,
    /** Too many broken events in a row. */
    BROKEN,
    /** The answer differs from the beginning that the client already has. */
    DIVERGED
  }

  /** Reads one event's data and writes the client's part of it to {@code out}. */
  Step event(byte[] data, int from, int to, ByteBuf out);

  /** Reads an event named {@code error}, which is an error unless its data is a chunk. */
  Step errorEvent(byte[] data, int from, int to, ByteBuf out);

  /** Writes the finish that a provider omitted before {@code [DONE]}. */
  void writeMissingFinish(ByteBuf out);

  /**
   * Writes the final chunk with the usage: the provider's own object, or the gateway's estimate.
   */
  void writeUsage(Usage charged, MicroUsd cost, ByteBuf out);

  /** Writes the usage of a broken stream and returns the error event of its client. */
  default BrokenStream broken(Fault fault, Usage charged, MicroUsd cost, ByteBuf out) {
    writeUsage(charged, cost, out);
    return new BrokenStream(fault, new ErrorForm.Envelope());
  }

  /** Returns the size of the output that is kept until it is complete, in bytes. */
  default int keptBytes() {
    return 0;
  }
}
