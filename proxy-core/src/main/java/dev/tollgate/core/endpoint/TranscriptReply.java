package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One provider's transcript, written as the client's: JSON with its charge, text and subtitles as
 * they are.
 */
final class TranscriptReply implements WholeReply {
  private final AudioUsage usage;
  private final Duration likely;
  private final String contentType;
  private final byte[] body;
  private final int length;
  private final long textBytes;
  private final @Nullable RootEdits edits;
  private final int textAt;

  private TranscriptReply(
      AudioUsage usage,
      Duration likely,
      String contentType,
      byte[] body,
      int length,
      long textBytes,
      @Nullable RootEdits edits,
      int textAt) {
    this.usage = usage;
    this.likely = likely;
    this.contentType = contentType;
    this.body = body;
    this.length = length;
    this.textBytes = textBytes;
    this.edits = edits;
    this.textAt = textAt;
  }

  /** Reads one that must be JSON. */
  static Read json(TranscriptionCall call, ReplyStamp stamp, byte[] body, int length) {
    var root = new JsonMembers();
    try {
      root.read(body, 0, length);
    } catch (InvalidJson e) {
      return new Read.Malformed("the reply is not valid JSON");
    }
    if (ErrorShape.matches(root, "text")) {
      return new Read.ErrorObject();
    }
    int text = root.indexOf("text");
    if (text < 0) {
      return new Read.Malformed("the reply has no text");
    }
    AudioUsage usage = call.usage();
    usage.take(root);
    return new Read.Fine(
        new TranscriptReply(
            usage,
            call.request().likely(),
            "application/json",
            body,
            length,
            RequestRoot.bytesOf(root, "text"),
            new RootEdits(root, stamp),
            text));
  }

  /** Takes one that is text as it is, unless it is an error. */
  static Read text(TranscriptionCall call, String contentType, byte[] body, int length) {
    boolean isJson = contentType.toLowerCase(Locale.ROOT).contains("json");
    if (isJson && isError(body, length)) {
      return new Read.ErrorObject();
    }
    String type = contentType.isEmpty() ? call.request().format().contentType() : contentType;
    return new Read.Fine(
        new TranscriptReply(
            call.usage(), call.request().likely(), type, body, length, length, null, 0));
  }

  private static boolean isError(byte[] body, int length) {
    var root = new JsonMembers();
    try {
      root.read(body, 0, length);
      return ErrorShape.matches(root, "text");
    } catch (InvalidJson e) {
      return false; // a text in quotes, as some servers write it
    }
  }

  @Override
  public Optional<Usage> reportedUsage() {
    return usage.reported();
  }

  @Override
  public List<Quantity> quantities() {
    return usage.quantities(likely);
  }

  @Override
  public String contentType() {
    return contentType;
  }

  @Override
  public long deliveredTokens() {
    return TokenEstimate.likely(textBytes, 0);
  }

  @Override
  public void writeTo(Usage charged, MicroUsd cost, ByteBuf out) {
    if (edits == null) {
      out.writeBytes(body, 0, length);
    } else {
      edits.transcript(textAt, usage.json(charged, likely, cost)).writeTo(out);
    }
  }
}
