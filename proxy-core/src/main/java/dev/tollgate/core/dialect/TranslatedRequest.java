package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Request body in a provider's own format, with the paths of the fields that were dropped.
 *
 * @param body a buffer on the heap
 * @param dropped JSON paths of fields that the provider does not get as the client sent them
 */
public record TranslatedRequest(ByteBuf body, List<String> dropped) {
  private static final int BODY_BYTES_USUAL = 4_096;

  public TranslatedRequest {
    dropped = List.copyOf(dropped);
  }

  /**
   * Returns the dropped paths that the provider has no equivalent for: each has a bound of the
   * answer, if not as high a one.
   */
  public List<String> unsupported() {
    return dropped.stream().filter(path -> !ChatMembers.isOutputBound(path)).toList();
  }

  /** Returns a request whose body is an object with the members that {@code members} writes. */
  public static TranslatedRequest of(BiConsumer<JsonWriter, DroppedFields> members) {
    var dropped = new DroppedFields();
    ByteBuf body = Unpooled.buffer(BODY_BYTES_USUAL);
    JsonWriter out = new JsonWriter(body).beginObject();
    members.accept(out, dropped);
    out.endObject();
    return new TranslatedRequest(body, dropped.paths());
  }
}
