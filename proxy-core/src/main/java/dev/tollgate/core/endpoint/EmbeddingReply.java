package dev.tollgate.core.endpoint;

import dev.tollgate.core.dialect.UsageTerms;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One provider's list of vectors, written as the client's. The vectors themselves are never looked
 * into: they may be numbers or base64, and are most of a body of a hundred kilobytes.
 */
final class EmbeddingReply implements WholeReply {
  private static final byte[] NO_USAGE = {'{', '}'};

  private final ReplyStamp stamp;
  private final JsonMembers root;
  private final int dataAt;
  private final @Nullable Usage usage;
  private final byte[] usageText;

  private EmbeddingReply(ReplyStamp stamp, JsonMembers root, int dataAt) {
    this.stamp = stamp;
    this.root = root;
    this.dataAt = dataAt;
    int i = root.indexOf("usage");
    JsonMembers object = i >= 0 && root.kind(i) == JsonKind.OBJECT ? root.object(i) : null;
    this.usage =
        object == null
            ? null
            : UsageTerms.OPENAI_EMBEDDINGS.read(object, stamp.contextLength()).orElse(null);
    this.usageText =
        object == null || usage == null
            ? NO_USAGE
            : Arrays.copyOfRange(object.bytes(), object.objectStart(), object.objectEnd());
  }

  static Read read(ReplyStamp stamp, byte[] body, int length) {
    var root = new JsonMembers();
    try {
      root.read(body, 0, length); // of numbers, in half the time of a parser
    } catch (InvalidJson e) {
      return new Read.Malformed("the reply is not valid JSON");
    }
    if (ErrorShape.matches(root, "data")) {
      return new Read.ErrorObject();
    }
    int data = root.indexOf("data");
    return data >= 0 && holdsObjects(root, data)
        ? new Read.Fine(new EmbeddingReply(stamp, root, data))
        : new Read.Malformed("the reply has no vectors");
  }

  /** Whether a value is an array that begins with an object; the rest is the client's to read. */
  private static boolean holdsObjects(JsonMembers root, int i) {
    if (root.kind(i) != JsonKind.ARRAY) {
      return false;
    }
    byte[] bytes = root.bytes();
    int at = root.valueStart(i) + 1;
    while (bytes[at] <= ' ') {
      at++;
    }
    return bytes[at] == '{';
  }

  @Override
  public Optional<Usage> reportedUsage() {
    return Optional.ofNullable(usage);
  }

  @Override
  public long deliveredTokens() {
    return 0;
  }

  @Override
  public void writeTo(Usage charged, MicroUsd cost, ByteBuf out) {
    new RootEdits(root, stamp)
        .list(dataAt, UsageWriter.json(charged, cost, usageText))
        .writeTo(out);
  }
}
