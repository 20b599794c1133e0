package dev.tollgate.core.idempotency;

import dev.tollgate.core.http.Field;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Reply to a submission as it is stored for its idempotency key and replayed to every repeat.
 *
 * @param fields header fields beside those that every reply has
 */
public record StoredReply(int status, String contentType, List<Field> fields, ByteBuf body) {
  public StoredReply {
    fields = List.copyOf(fields);
  }
}
