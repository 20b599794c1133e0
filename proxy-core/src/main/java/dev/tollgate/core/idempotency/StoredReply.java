package dev.tollgate.core.idempotency;

import dev.tollgate.core.http.Field;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * A reply as it is given to everybody who sends the same submission.
 *
 * @param fields of its head, beside those that every reply has
 */
public record StoredReply(int status, String contentType, List<Field> fields, ByteBuf body) {
  public StoredReply {
    fields = List.copyOf(fields);
  }
}
