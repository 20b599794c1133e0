package dev.tollgate.mock;

import dev.tollgate.mock.StreamEvent.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Draft of a mock provider's reply: healthy at first, modified by at most one fault, then encoded
 * once. Strings hold one byte per character, because a faulty reply need not be text.
 */
final class ReplyDraft {
  private static final int NO_CONTENT = -1;
  private static final Duration DRIP_MIN = Duration.ofMillis(20);

  private final MockProfile profile;
  private final ChatText text;
  private final List<String> headerLines = new ArrayList<>();
  private List<StreamEvent> events;
  private String body;
  private String status = "200 OK";
  private BodyCoding coding;
  private SseFraming framing;
  private ReplyEnding ending;
  private Duration headDelay;
  private String beforeHead = "";
  private String afterBody = "";
  private String chunkExtension = "";
  private String trailers = "";
  private @Nullable String raw;
  private int lengthOff;
  private boolean gzip;
  private boolean terminated = true;
  private boolean stream;
  private int wireBytesMax = Integer.MAX_VALUE;
  private ReplyEnding cutEnding = ReplyEnding.FIN;
  private int bytesPerWrite;
  private Duration writePause = Duration.ZERO;
  private boolean slowHead;
  private int slowContent = NO_CONTENT;
  private String version = "HTTP/1.1";

  ReplyDraft(MockRequest request, MockProfile profile) {
    this.profile = profile;
    this.text = new ChatText(request, profile);
    this.stream = text.isStreamed();
    this.events = stream ? text.events() : new ArrayList<>();
    this.body = stream ? "" : text.body();
    this.coding = stream ? BodyCoding.CHUNKED : BodyCoding.LENGTH;
    this.ending = request.keepAlive() ? ReplyEnding.KEEP_ALIVE : ReplyEnding.FIN;
    // A plain reply is sent at the time at which a stream would end.
    this.headDelay = stream ? profile.ttft() : profile.replyDuration(text.tokens());
    this.framing = text.isRawAudio() ? SseFraming.RAW : SseFraming.USUAL;
    headerLines.add("Content-Type: " + text.contentType());
    headerLines.add("X-Request-Id: req_mock_" + new SeededWords(profile.seed()).hex(0));
    if (!request.keepAlive()) {
      headerLines.add("Connection: close");
    }
  }

  // The whole reply

  /** Replaces the reply by one with this status and body, sent at once. */
  ReplyDraft answer(String changedStatus, String contentType, String changedBody) {
    stream = false;
    status = changedStatus;
    body = changedBody;
    coding = BodyCoding.LENGTH;
    headDelay = Duration.ZERO;
    return contentType(contentType);
  }

  /** Replaces the reply by these bytes, sent at once, with this ending. */
  ReplyDraft raw(String bytes, ReplyEnding nextEnding) {
    raw = bytes;
    headDelay = Duration.ZERO;
    ending = nextEnding;
    return this;
  }

  ReplyDraft ending(ReplyEnding changed) {
    ending = changed;
    return this;
  }

  // The head

  ReplyDraft header(String line) {
    headerLines.add(line);
    return this;
  }

  ReplyDraft version(String changed) {
    version = changed;
    return this;
  }

  ReplyDraft contentType(String changed) {
    headerLines.set(0, "Content-Type: " + changed);
    return this;
  }

  /** Sends the head at once, before the first event is due. */
  ReplyDraft headAtOnce() {
    headDelay = Duration.ZERO;
    return this;
  }

  ReplyDraft beforeHead(String bytes) {
    beforeHead = bytes;
    return this;
  }

  // The body and its transfer

  ReplyDraft coding(BodyCoding changed) {
    coding = changed;
    if (changed == BodyCoding.UNTIL_CLOSE) {
      ending = ReplyEnding.FIN;
    }
    return this;
  }

  /** Adds {@code bytes} to the announced Content-Length. */
  ReplyDraft lengthOff(int bytes) {
    coding = BodyCoding.LENGTH;
    lengthOff = bytes;
    return this;
  }

  ReplyDraft gzip() {
    gzip = true;
    return header("Content-Encoding: gzip");
  }

  ReplyDraft chunkExtension(String extension) {
    chunkExtension = extension;
    return this;
  }

  ReplyDraft trailers(String lines) {
    trailers = lines;
    return this;
  }

  /** Sends these bytes after the body's end. */
  ReplyDraft afterBody(String bytes) {
    afterBody = bytes;
    return this;
  }

  /** Omits the last chunk, so that the body has no end. */
  ReplyDraft unterminated() {
    terminated = false;
    return this;
  }

  /** Truncates the reply, head included, to {@code wireBytes} bytes followed by this ending. */
  ReplyDraft cutAt(int wireBytes, ReplyEnding nextEnding) {
    wireBytesMax = wireBytes;
    cutEnding = nextEnding;
    return this;
  }

  /** Sends each byte of the body, and of the head if {@code headToo}, in a separate write. */
  ReplyDraft byteByByte(Duration pause, boolean headToo) {
    bytesPerWrite = 1;
    writePause = pause;
    slowHead = headToo;
    return this;
  }

  /** Sends each byte of the content event after the first {@code k} in a separate write. */
  ReplyDraft dripEvent(int k) {
    Duration interval = profile.chunkInterval();
    slowContent = k;
    return byteByByte(interval.compareTo(DRIP_MIN) > 0 ? interval : DRIP_MIN, false);
  }

  // The plain body

  ReplyDraft body(String changed) {
    if (!stream) {
      body = changed;
    }
    return this;
  }

  /** Truncates the plain body, but not its Content-Length: 0 sends nothing, 2 the first half. */
  ReplyDraft truncateBody(int divisor) {
    if (!stream) {
      int kept = divisor == 0 ? 0 : body.length() / divisor;
      lengthOff = body.length() - kept;
      body = body.substring(0, kept);
    }
    return this;
  }

  /** Returns the first half of the plain body. */
  String halfBody() {
    return body.substring(0, body.length() / 2);
  }

  // The events

  ReplyDraft framing(SseFraming changed) {
    framing = changed;
    return this;
  }

  ReplyDraft drop(Kind kind) {
    events.removeIf(event -> event.kind() == kind);
    return this;
  }

  /** Replaces the data of all events of a kind. */
  ReplyDraft replaceData(Kind kind, UnaryOperator<String> change) {
    events.replaceAll(e -> e.kind() == kind ? e.withData(change.apply(e.data())) : e);
    return this;
  }

  /** Delays all events of a kind by {@code intervals}. */
  ReplyDraft delay(Kind kind, int intervals) {
    events.replaceAll(
        e -> e.kind() == kind ? new StreamEvent(kind, e.data(), e.intervalIndex() + intervals) : e);
    return this;
  }

  /** Drops all events after the role and the first {@code k} content events. */
  ReplyDraft truncateAfter(int k) {
    events = new ArrayList<>(events.subList(0, indexAfter(k)));
    return this;
  }

  ReplyDraft dropAllEvents() {
    events = new ArrayList<>();
    return this;
  }

  /** Inserts events after the first {@code k} content events. */
  ReplyDraft insert(int k, String... data) {
    return insert(Kind.INJECTED, k, data);
  }

  /** Inserts raw bytes between events, after the first {@code k} content events. */
  ReplyDraft insertFramed(int k, String... bytes) {
    return insert(Kind.PREFRAMED, k, bytes);
  }

  private ReplyDraft insert(Kind kind, int k, String... data) {
    int at = indexAfter(k);
    int intervalIndex = at == 0 ? 0 : events.get(at - 1).intervalIndex();
    for (String each : data) {
      events.add(at++, new StreamEvent(kind, each, intervalIndex));
    }
    return this;
  }

  /** Inserts an event after the last one of this kind, or at the end if there is none. */
  ReplyDraft insertAfter(Kind kind, String data) {
    int at = events.size();
    while (at > 0 && events.get(at - 1).kind() != kind) {
      at--;
    }
    int where = at == 0 ? events.size() : at;
    events.add(where, new StreamEvent(Kind.INJECTED, data, text.tokens() + 1));
    return this;
  }

  private int indexAfter(int k) {
    int contents = 0;
    for (int i = 0; i < events.size(); i++) {
      Kind kind = events.get(i).kind();
      if (kind == Kind.FINISH || (kind == Kind.CONTENT && contents++ == k)) {
        return i;
      }
    }
    return events.size();
  }

  // Read by faults

  boolean isStream() {
    return stream;
  }

  ChatText text() {
    return text;
  }

  // Read by the encoder

  MockProfile profile() {
    return profile;
  }

  List<String> headerLines() {
    return headerLines;
  }

  List<StreamEvent> events() {
    return events;
  }

  String body() {
    return body;
  }

  String status() {
    return status;
  }

  BodyCoding coding() {
    return coding;
  }

  SseFraming framing() {
    return framing;
  }

  ReplyEnding ending() {
    return ending;
  }

  Duration headDelay() {
    return headDelay;
  }

  String beforeHead() {
    return beforeHead;
  }

  String afterBody() {
    return afterBody;
  }

  String chunkExtension() {
    return chunkExtension;
  }

  String trailers() {
    return trailers;
  }

  @Nullable String raw() {
    return raw;
  }

  int lengthOff() {
    return lengthOff;
  }

  boolean isGzip() {
    return gzip;
  }

  boolean isTerminated() {
    return terminated;
  }

  ReplyEnding cutEnding() {
    return cutEnding;
  }

  int wireBytesMax() {
    return wireBytesMax;
  }

  boolean isByteByByte() {
    return bytesPerWrite == 1;
  }

  boolean isSlowHead() {
    return slowHead;
  }

  /** True if the n-th content event is sent byte by byte, given that anything is. */
  boolean isSlowContent(int n) {
    return slowContent == NO_CONTENT ? !slowHead : slowContent == n;
  }

  /** True if the body outside content events is sent byte by byte, given that anything is. */
  boolean isSlowBody() {
    return slowContent == NO_CONTENT && !slowHead;
  }

  String version() {
    return version;
  }

  Duration writePause() {
    return writePause;
  }
}
