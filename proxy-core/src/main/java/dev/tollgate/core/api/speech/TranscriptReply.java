package dev.tollgate.core.api.speech;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.api.ErrorShape;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.RootEdits;
import dev.tollgate.core.api.TokenEstimate;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.sse.SseWriter;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A provider's whole reply with a transcript, written in the client's form: JSON with its charge,
 * text and subtitles unchanged.
 */
public final class TranscriptReply implements WholeReply {
  private final AudioUsage usage;
  private final Duration likely;
  private final String contentType;
  private final Written written;

  /** Form of the provider's body. */
  private sealed interface Written {
    record Json(JsonMembers root, int textAt, ReplyStamp stamp) implements Written {}

    record Text(ByteBuffer body) implements Written {}

    default long textBytes() {
      return switch (this) {
        case Json json -> json.root.valueEnd(json.textAt) - json.root.valueStart(json.textAt);
        case Text text -> text.body.remaining();
      };
    }

    default JsonBytes text() {
      return switch (this) {
        case Json json -> JsonBytes.of(json.root, json.textAt);
        case Text text -> JsonBytes.string(UTF_8.decode(text.body.duplicate()).toString());
      };
    }
  }

  private TranscriptReply(AudioUsage usage, Duration likely, String contentType, Written written) {
    this.usage = usage;
    this.likely = likely;
    this.contentType = contentType;
    this.written = written;
  }

  /** Reads a reply that must be JSON. */
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
    var written = new Written.Json(root, text, stamp);
    return new Read.Fine(
        new TranscriptReply(usage, call.request().likely(), "application/json", written));
  }

  /** Reads a reply that is text, unless it is an error object. */
  static Read text(TranscriptionCall call, String contentType, byte[] body, int length) {
    boolean isJson = contentType.toLowerCase(Locale.ROOT).contains("json");
    if (isJson && isError(body, length)) {
      return new Read.ErrorObject();
    }
    String type = contentType.isEmpty() ? call.request().format().contentType() : contentType;
    var written = new Written.Text(ByteBuffer.wrap(body, 0, length));
    return new Read.Fine(
        new TranscriptReply(
            call.usage(), likelyDuration(call.request(), body, length), type, written));
  }

  private static Duration likelyDuration(TranscriptionRequest request, byte[] body, int length) {
    Optional<Duration> end =
        request.format().isSubtitles() ? LastSubtitleCue.end(body, length) : Optional.empty();
    return end.map(request::likely).orElse(request.likely());
  }

  private static boolean isError(byte[] body, int length) {
    var root = new JsonMembers();
    try {
      root.read(body, 0, length);
      return ErrorShape.matches(root, "text");
    } catch (InvalidJson e) {
      return false; // some servers write the text as a JSON string
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
    return TokenEstimate.likely(written.textBytes());
  }

  @Override
  public void writeTo(Usage charged, MicroUsd cost, ByteBuf out) {
    switch (written) {
      case Written.Text text -> out.writeBytes(text.body.duplicate());
      case Written.Json json ->
          new RootEdits(json.root, json.stamp)
              .transcript(json.textAt, usage.json(charged, likely, cost))
              .writeTo(out);
    }
  }

  @Override
  public void writeEventTo(Usage charged, MicroUsd cost, ByteBuf out) {
    Map<String, Object> done = new LinkedHashMap<>();
    done.put("type", "transcript.text.done");
    done.put("text", written.text());
    done.put("usage", usage.json(charged, likely, cost));
    SseWriter.data(out, JsonBytes.value(done));
  }
}
