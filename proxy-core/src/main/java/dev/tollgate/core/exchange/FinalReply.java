package dev.tollgate.core.exchange;

import dev.tollgate.core.api.BrokenStream;
import dev.tollgate.core.exchange.frame.ClientReply;
import dev.tollgate.core.http.FieldLines;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Last part of a reply to the client, which states the cost and is held back until the charge is
 * durable. Ended exactly once, by {@link #send} or {@link #release}.
 */
sealed interface FinalReply {
  /** A complete reply that is not streamed. */
  record Whole(int status, String contentType, List<FieldLines> fields, ByteBuf body)
      implements FinalReply {}

  /** The last events of a complete stream. */
  record StreamEnd(ByteBuf events) implements FinalReply {}

  /**
   * An error reply, or the error at the end of an opened stream.
   *
   * @param usage usage events that precede the fault in an opened stream
   */
  record ErrorReply(@Nullable ByteBuf usage, BrokenStream error, List<FieldLines> fields)
      implements FinalReply {}

  /** No reply, because the client disconnected. */
  record None() implements FinalReply {}

  /** Returns the number of body bytes that are still to be sent, without those of a fault. */
  default int bytes() {
    return switch (this) {
      case Whole whole -> whole.body().readableBytes();
      case StreamEnd last -> last.events().readableBytes();
      case ErrorReply refusal -> refusal.usage() == null ? 0 : refusal.usage().readableBytes();
      case None _ -> 0;
    };
  }

  default void send(ClientReply reply) {
    switch (this) {
      case Whole whole ->
          reply.whole(whole.status(), whole.contentType(), whole.fields(), whole.body());
      case StreamEnd last -> reply.end(last.events());
      case ErrorReply refusal -> reply.refuse(refusal.usage(), refusal.error(), refusal.fields());
      case None _ -> {}
    }
  }

  default void release() {
    switch (this) {
      case Whole whole -> whole.body().release();
      case StreamEnd last -> last.events().release();
      case ErrorReply refusal -> {
        if (refusal.usage() != null) {
          refusal.usage().release();
        }
      }
      case None _ -> {}
    }
  }
}
