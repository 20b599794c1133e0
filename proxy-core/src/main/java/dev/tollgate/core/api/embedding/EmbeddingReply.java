package dev.tollgate.core.api.embedding;

import static java.util.Objects.requireNonNullElse;

import dev.tollgate.core.api.ErrorShape;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.ReplyUsage;
import dev.tollgate.core.api.RootEdits;
import dev.tollgate.core.api.UsageWriter;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.dialect.openai.EmbeddingUsage;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.Optional;

/**
 * A provider's whole reply with embedding vectors, written as the client's without parsing the
 * vectors. The vectors may be numbers or base64, and are most of a body of a hundred kilobytes.
 */
public final class EmbeddingReply implements WholeReply {
  private static final byte[] NO_USAGE = {'{', '}'};

  private final ReplyStamp stamp;
  private final JsonMembers root;
  private final int dataAt;
  private final ReplyUsage usage;

  private EmbeddingReply(ReplyStamp stamp, JsonMembers root, int dataAt) {
    this.stamp = stamp;
    this.root = root;
    this.dataAt = dataAt;
    this.usage = ReplyUsage.of(root, EmbeddingUsage.FORMAT, stamp.contextLength());
  }

  public static Read read(ReplyStamp stamp, byte[] body, int length) {
    var root = new JsonMembers();
    try {
      root.readSkippingNumberLists(body, 0, length);
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

  /** True if a value is an array that begins with an object; the rest is left to the client. */
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
    return usage.counts();
  }

  @Override
  public long deliveredTokens() {
    return 0;
  }

  @Override
  public void writeTo(Usage charged, MicroUsd cost, ByteBuf out) {
    byte[] reported = requireNonNullElse(usage.text(), NO_USAGE);
    new RootEdits(root, stamp).list(dataAt, UsageWriter.json(charged, cost, reported)).writeTo(out);
  }
}
