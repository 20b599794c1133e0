package dev.tollgate.core.api.speech;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.api.BrokenStream;
import dev.tollgate.core.api.ErrorForm;
import dev.tollgate.core.api.ErrorShape;
import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.api.ReplyEventStream;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.api.StreamEvents;
import dev.tollgate.core.api.TokenEstimate;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonDefect;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.sse.SseWriter;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Translator of one provider's stream of audio events: generated speech, or a transcript. Events
 * pass unchanged; the last event, which has the usage, is held back until the charge is known.
 */
public final class AudioEventStream implements ReplyEventStream {
  private static final String DONE = ".done";

  private final AudioUsage usage;
  private final LongFunction<Duration> lengthOf;
  private final Optional<SpeechFormat> spoken;
  private final JsonMembers root = new JsonMembers();
  private byte @Nullable [] lastEvent;
  private boolean contentSeen;
  private boolean endedByDone;
  private boolean isChunked;
  private Set<ProtocolAnomaly> repaired = Set.of();
  private long badEvents;
  private long pieces;
  private long contentBytes;

  /**
   * @param lengthOf the likely length of the audio of a number of bytes
   */
  private AudioEventStream(
      AudioUsage usage, LongFunction<Duration> lengthOf, Optional<SpeechFormat> spoken) {
    this.usage = usage;
    this.lengthOf = lengthOf;
    this.spoken = spoken;
  }

  /** Returns a stream whose events contain speech in this format. */
  static AudioEventStream spoken(AudioUsage usage, SpeechFormat format) {
    return new AudioEventStream(usage, format::timeOf, Optional.of(format));
  }

  /** Returns a stream whose events contain the text of audio of a likely length. */
  static AudioEventStream written(AudioUsage usage, Duration likely) {
    return new AudioEventStream(usage, _ -> likely, Optional.empty());
  }

  @Override
  public Step event(byte[] data, int from, int to, ByteBuf out) {
    int end = StreamEvents.trimmed(data, from, to);
    if (end == from) {
      return Step.ABSORBED;
    }
    if (StreamEvents.isDone(data, from, end)) {
      return Step.DONE;
    }
    try {
      note(root.readRepaired(data, from, to));
    } catch (InvalidJson e) {
      return unreadable();
    }
    int i = root.indexOf("type");
    String type = i >= 0 && root.kind(i) == JsonKind.STRING ? root.string(i) : "";
    if (type.equals("error") || ErrorShape.matches(root, "type")) {
      return Step.ERROR;
    }
    boolean isEvent = !type.isEmpty() || isChunk();
    return isEvent ? relay(type, out) : unreadable();
  }

  /** True for a chunk, as vLLM writes them. */
  private boolean isChunk() {
    int at = root.indexOf("choices");
    return at >= 0 && root.kind(at) == JsonKind.ARRAY;
  }

  @Override
  public Step errorEvent(byte[] data, int from, int to, ByteBuf out) {
    return Step.ERROR;
  }

  /** Counts an event that is none; audio or text may be lost with it unless the last one came. */
  private Step unreadable() {
    badEvents++;
    return finished() ? Step.DROPPED : Step.BROKEN;
  }

  private void note(Set<JsonDefect> defects) {
    if (!defects.isEmpty()) {
      repaired = ProtocolAnomaly.with(repaired, defects);
    }
  }

  private Step relay(String type, ByteBuf out) {
    byte[] data = root.bytes();
    int from = root.objectStart();
    int to = root.objectEnd();
    usage.take(root);
    isChunked = type.isEmpty();
    if (type.endsWith(DONE) || isUsageAlone()) {
      lastEvent = Arrays.copyOfRange(data, from, to);
      contentBytes = Math.max(contentBytes, RequestRoot.bytesOf(root, "text"));
      return Step.ABSORBED;
    }
    contentSeen = true;
    pieces++;
    contentBytes += bytesOfContent();
    SseWriter.data(out, data, from, to);
    return Step.WROTE;
  }

  /** True for the final usage chunk of providers that stream chunks. */
  private boolean isUsageAlone() {
    return isChunked
        && root.indexOf("usage") >= 0
        && isChunk()
        && root.array(root.indexOf("choices")).size() == 0;
  }

  private long bytesOfContent() {
    return RequestRoot.bytesOf(root, "delta")
        + RequestRoot.bytesOf(root, "text")
        + RequestRoot.bytesOf(root, "audio");
  }

  /** Writes nothing: the terminator is enough. */
  @Override
  public void writeMissingFinish(ByteBuf out) {
    endedByDone = true;
  }

  /** Writes the last event with the charge, or a new one if the provider sent none. */
  @Override
  public void writeUsage(Usage charged, MicroUsd cost, ByteBuf out) {
    JsonMembers done = JsonMembers.ofKept(lastEvent == null ? syntheticLast() : lastEvent);
    JsonSplice edits = JsonSplice.of(done);
    JsonBytes reported = usage.json(charged, likely(), cost);
    int i = done.indexOf("usage");
    if (i < 0) {
      edits.insertLast("usage", reported);
    } else {
      edits.replace(i, reported);
    }
    SseWriter.data(out, edits);
  }

  private byte[] syntheticLast() {
    String event =
        isChunked
            ? "{\"object\":\"transcription.chunk\",\"choices\":[]}"
            : spoken.isPresent()
                ? "{\"type\":\"speech.audio.done\"}"
                : "{\"type\":\"transcript.text.done\",\"text\":\"\"}";
    return event.getBytes(US_ASCII);
  }

  /** Adds the usage to the error, because no event marks a broken stream. */
  @Override
  public BrokenStream broken(Fault fault, Usage charged, MicroUsd cost, ByteBuf out) {
    Map<String, Object> details = new HashMap<>(fault.details());
    Duration paid = cost.isPositive() ? likely() : Duration.ZERO;
    details.put("usage", usage.json(charged, paid, cost));
    return new BrokenStream(fault.withDetails(details), new ErrorForm.Envelope());
  }

  @Override
  public int keptBytes() {
    return lastEvent == null ? 0 : lastEvent.length;
  }

  @Override
  public Optional<Usage> reportedUsage() {
    return usage.reported();
  }

  @Override
  public List<Quantity> quantities() {
    return usage.quantities(likely());
  }

  private Duration likely() {
    return lengthOf.apply(audioBytes());
  }

  private long audioBytes() {
    return contentBytes * 3 / 4; // in base64
  }

  @Override
  public long deliveredTokens() {
    return spoken
        .map(format -> format.tokensOf(audioBytes()))
        .orElseGet(() -> TokenEstimate.delivered(pieces, contentBytes));
  }

  @Override
  public boolean contentSeen() {
    return contentSeen;
  }

  @Override
  public boolean isWritten() {
    return contentSeen;
  }

  @Override
  public boolean finished() {
    return lastEvent != null || endedByDone;
  }

  @Override
  public long badEvents() {
    return badEvents;
  }

  @Override
  public Set<ProtocolAnomaly> anomalies() {
    return repaired;
  }

  @Override
  public void release() {}
}
