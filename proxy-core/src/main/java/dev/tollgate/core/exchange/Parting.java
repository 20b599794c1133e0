package dev.tollgate.core.exchange;

import dev.tollgate.core.endpoint.BrokenStream;
import dev.tollgate.core.http.FieldLines;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client is told last, with its cost: held back until the charge cannot be lost. Ended
 * exactly once, by {@link #send} or {@link #release}.
 */
sealed interface Parting {
  /** A plain reply. */
  record Whole(int status, String contentType, List<FieldLines> fields, ByteBuf body)
      implements Parting {}

  /** The last events of a stream that went well. */
  record Last(ByteBuf events) implements Parting {}

  /**
   * A fault.
   *
   * @param usage the events with its usage that stand ahead of it in an opened stream
   */
  record Refusal(@Nullable ByteBuf usage, BrokenStream told, List<FieldLines> fields)
      implements Parting {}

  /** Nobody is left to be told. */
  record Silence() implements Parting {}

  /** Bytes of body that the client has still to get, but for a fault's own. */
  default int bytes() {
    return switch (this) {
      case Whole whole -> whole.body().readableBytes();
      case Last last -> last.events().readableBytes();
      case Refusal refusal -> refusal.usage() == null ? 0 : refusal.usage().readableBytes();
      case Silence _ -> 0;
    };
  }

  default void send(ClientReply reply) {
    switch (this) {
      case Whole whole ->
          reply.whole(whole.status(), whole.contentType(), whole.fields(), whole.body());
      case Last last -> reply.end(last.events());
      case Refusal refusal -> {
        if (refusal.usage() != null) {
          reply.events(refusal.usage());
        }
        reply.refuse(refusal.told(), refusal.fields());
      }
      case Silence _ -> {}
    }
  }

  default void release() {
    switch (this) {
      case Whole whole -> whole.body().release();
      case Last last -> last.events().release();
      case Refusal refusal -> {
        if (refusal.usage() != null) {
          refusal.usage().release();
        }
      }
      case Silence _ -> {}
    }
  }
}
