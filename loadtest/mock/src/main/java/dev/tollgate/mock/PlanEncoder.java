package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tollgate.mock.StreamEvent.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** Encodes a {@link ReplyDraft} as a reply plan: bytes in frames, each with its due time. */
final class PlanEncoder {
  private static final long REPEAT_NANOS_MIN = 1_000_000;

  private final ReplyDraft draft;
  private final List<Frame> frames = new ArrayList<>();
  private int tokens;
  private ReplyEnding ending;

  private PlanEncoder(ReplyDraft draft) {
    this.draft = draft;
    this.ending = draft.ending();
  }

  /**
   * Bytes of a reply that are sent together. {@code tokens} counts the completion tokens sent with
   * and before it; {@code slow} bytes are sent one by one.
   */
  private record Frame(String bytes, long dueNanos, int tokens, boolean slow) {}

  static ReplyPlan encode(ReplyDraft draft, int framesPerWrite) {
    PlanEncoder encoder = new PlanEncoder(draft);
    String raw = draft.raw();
    if (raw != null) {
      encoder.add(raw, 0, false);
    } else {
      encoder.addHead();
      encoder.addBody();
    }
    encoder.cut();
    if (draft.isByteByByte()) {
      encoder.splitIntoBytes();
      return encoder.plan(1);
    }
    return encoder.plan(framesPerWrite);
  }

  private void addHead() {
    StringBuilder head = new StringBuilder(draft.beforeHead());
    head.append(draft.version()).append(' ').append(draft.status()).append("\r\n");
    draft.headerLines().forEach(line -> head.append(line).append("\r\n"));
    switch (draft.coding()) {
      case LENGTH ->
          head.append("Content-Length: ")
              .append(wholeBody().length() + draft.lengthOff())
              .append("\r\n");
      case CHUNKED -> head.append("Transfer-Encoding: chunked\r\n");
      case UNTIL_CLOSE -> {}
    }
    add(head.append("\r\n").toString(), draft.headDelay().toNanos(), draft.isSlowHead());
  }

  private void addBody() {
    if (draft.isStream() && !draft.isGzip() && draft.coding() != BodyCoding.LENGTH) {
      addEvents();
    } else {
      tokens = draft.text().tokens();
      add(coded(wholeBody()), lastDueNanos(), draft.isSlowBody());
    }
    add(terminator() + draft.afterBody(), lastDueNanos(), draft.isSlowBody());
  }

  private void addEvents() {
    int n = 0;
    for (StreamEvent event : draft.events()) {
      boolean content = event.kind() == Kind.CONTENT;
      boolean slow = content ? draft.isSlowContent(tokens) : draft.isSlowBody();
      tokens += content ? 1 : 0;
      add(coded(framed(event, n++)), dueNanos(event), slow);
    }
  }

  private long dueNanos(StreamEvent event) {
    return draft.profile().ttft().toNanos()
        + event.intervalIndex() * draft.profile().chunkInterval().toNanos();
  }

  private long lastDueNanos() {
    long head = draft.headDelay().toNanos();
    return draft.events().isEmpty() ? head : Math.max(head, dueNanos(draft.events().getLast()));
  }

  private String wholeBody() {
    String body = draft.body();
    if (draft.isStream()) {
      StringBuilder all = new StringBuilder();
      int n = 0;
      for (StreamEvent event : draft.events()) {
        all.append(framed(event, n++));
      }
      body = all.toString();
    }
    return draft.isGzip() ? gzipped(body) : body;
  }

  private String framed(StreamEvent event, int n) {
    return event.kind() == Kind.PREFRAMED ? event.data() : draft.framing().frame(event.data(), n);
  }

  private String coded(String bytes) {
    return switch (draft.coding()) {
      case CHUNKED ->
          bytes.isEmpty()
              ? ""
              : Integer.toHexString(bytes.length())
                  + draft.chunkExtension()
                  + "\r\n"
                  + bytes
                  + "\r\n";
      case LENGTH, UNTIL_CLOSE -> bytes;
    };
  }

  private String terminator() {
    return draft.coding() == BodyCoding.CHUNKED && draft.isTerminated()
        ? "0\r\n" + draft.trailers() + "\r\n"
        : "";
  }

  private void add(String bytes, long dueNanos, boolean slow) {
    if (!bytes.isEmpty()) {
      frames.add(new Frame(bytes, dueNanos, tokens, slow));
    }
  }

  private void cut() {
    int left = draft.wireBytesMax();
    for (int i = 0; i < frames.size(); i++) {
      Frame frame = frames.get(i);
      if (frame.bytes().length() > left) {
        frames.subList(i, frames.size()).clear();
        ending = draft.cutEnding();
        add(frame.bytes().substring(0, left), frame.dueNanos(), frame.slow());
        return;
      }
      left -= frame.bytes().length();
    }
  }

  /** Splits slow frames into frames of one byte. */
  private void splitIntoBytes() {
    List<Frame> whole = List.copyOf(frames);
    frames.clear();
    long pauseNanos = draft.writePause().toNanos();
    long delayNanos = 0;
    for (Frame frame : whole) {
      int step = frame.slow() ? 1 : frame.bytes().length();
      for (int at = 0; at < frame.bytes().length(); at += step) {
        String part = frame.bytes().substring(at, at + step);
        frames.add(new Frame(part, frame.dueNanos() + delayNanos, frame.tokens(), false));
        delayNanos += frame.slow() ? pauseNanos : 0;
      }
    }
  }

  private ReplyPlan plan(int framesPerWrite) {
    int[] ends = new int[frames.size()];
    long[] dueNanos = new long[frames.size()];
    int[] tokensOut = new int[frames.size()];
    int length = 0;
    for (int i = 0; i < ends.length; i++) {
      Frame frame = frames.get(i);
      length += frame.bytes().length();
      ends[i] = length;
      dueNanos[i] = frame.dueNanos();
      tokensOut[i] = frame.tokens();
    }
    ByteBuf bytes = Unpooled.directBuffer(Math.max(1, length));
    frames.forEach(frame -> bytes.writeBytes(frame.bytes().getBytes(ISO_8859_1)));
    return new ReplyPlan(
        bytes,
        ends,
        dueNanos,
        tokensOut,
        framesPerWrite,
        ending,
        Math.max(REPEAT_NANOS_MIN, draft.profile().chunkInterval().toNanos()),
        draft.text().promptTokens());
  }

  private static String gzipped(String bytes) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(bytes.getBytes(ISO_8859_1));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return packed.toString(ISO_8859_1);
  }
}
