package dev.tollgate.core.idempotency;

import dev.tollgate.core.http.Field;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Stored reply of a submission, replayed to every repeated request.
 *
 * @param fields header fields beside those that every reply has
 */
public record StoredReply(int status, String contentType, List<Field> fields, ByteBuf body) {
  public StoredReply {
    fields = List.copyOf(fields);
  }
}
