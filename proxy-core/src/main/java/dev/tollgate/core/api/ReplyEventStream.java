package dev.tollgate.core.api;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;

/**
 * One provider's stream made into the client's, event by event. It holds what a stream knows:
 * whether content came, whether it finished, the last usage, what was delivered. Not thread safe:
 * one attempt on one loop.
 *
 * <p>Before the first content nothing is written, because a provider that dies there may still be
 * replaced by another (docs/decisions/streaming.md#commit).
 */
public non-sealed interface ReplyEventStream extends StreamingReply {
  /** What an event was. */
  enum Step {
    /** Not a chunk: dropped and counted; the stream goes on. */
    DROPPED,
    /** Nothing for the client, or held until content comes. */
    ABSORBED,
    /** Written. */
    WROTE,
    /** The terminator. */
    DONE,
    /** An error object; the event's bytes say which. */
    ERROR,
    /** The provider's finish reason says that it failed. */
    FAILED,
    /** Too many broken events in a row. */
    BROKEN,
    /** Another answer than the one whose beginning the client has. */
    DIVERGED
  }

  /** Takes one event's data and writes what the client gets of it to {@code out}. */
  Step event(byte[] data, int from, int to, ByteBuf out);

  /** Takes an event that is named an error: it is one whatever it says, unless it is a chunk. */
  Step errorEvent(byte[] data, int from, int to, ByteBuf out);

  /** Writes the finish that a provider left out although it said {@code [DONE]}. */
  void writeMissingFinish(ByteBuf out);

  /**
   * Writes the one final chunk that carries the usage: the provider's own object unless we count.
   */
  void writeUsage(Usage charged, MicroUsd cost, ByteBuf out);

  /** The same of a stream that breaks off, with what its client is told of that. */
  default BrokenStream broken(Fault fault, Usage charged, MicroUsd cost, ByteBuf out) {
    writeUsage(charged, cost, out);
    return new BrokenStream(fault, new ErrorForm.Envelope());
  }

  /** How much is kept of what was written, until it is complete. */
  default int keptBytes() {
    return 0;
  }
}
