package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Text of a stream that the client already has, kept so that another provider can continue the
 * stream after a failure. The identity under which the text was sent is kept too. The size of the
 * text is bounded. It is not thread-safe: one request uses it on one event loop.
 */
public final class DeliveredContent {
  private static final int CONSTANTS_MAX = 8;
  private static final int CONSTANT_BYTES_MAX = 64;

  private final int bytesMax;
  private final Map<DeltaText, StringBuilder> texts = new EnumMap<>(DeltaText.class);
  private final Map<String, String> constants = new HashMap<>(0);
  private @Nullable ResumePoint resumePoint;
  private State state = State.TEXT;
  private int bytes;
  private long events;

  /** State of the recorded content, which decides if the stream can be continued. */
  public enum State {
    /** All content is text, and is kept. */
    TEXT,
    /** Content other than text was delivered, such as a part of a tool call. */
    OTHER,
    /** The text exceeds the bound. */
    TOO_LONG
  }

  /**
   * @param bytesMax bound of the kept text, in the bytes of the provider's JSON
   */
  public DeliveredContent(int bytesMax) {
    this.bytesMax = bytesMax;
  }

  public State state() {
    return state;
  }

  /** True if the client has received any content. */
  public boolean isBegun() {
    return resumePoint != null;
  }

  /** Returns the size of the kept text in bytes. */
  public int keptBytes() {
    return bytes;
  }

  /** Drops the kept text because there is no memory for it. */
  public void drop() {
    end(State.TOO_LONG);
  }

  /**
   * True if the text is long enough to recognize a provider that starts over instead of continuing
   * it.
   */
  public boolean isDistinctive() {
    return RestartDetector.isDistinctive(of(DeltaText.CONTENT).toString());
  }

  /**
   * True if the text can be sent to a provider as a prefill: it consists of assistant text only,
   * and does not end within a surrogate pair, which no message can.
   */
  public boolean isPrefillable() {
    CharSequence text = assistantText();
    return state == State.TEXT
        && texts.size() == 1
        && !text.isEmpty()
        && !Character.isHighSurrogate(text.charAt(text.length() - 1));
  }

  /**
   * Returns the assistant's text without trailing white space. Some providers refuse a message that
   * ends in white space, and some remove the white space and generate it again.
   */
  public CharSequence assistantText() {
    CharSequence all = of(DeltaText.CONTENT);
    return all.subSequence(0, all.length() - trailingWhitespace().length());
  }

  /** Returns the white space at the end of the assistant's text. */
  public String trailingWhitespace() {
    CharSequence all = of(DeltaText.CONTENT);
    int end = all.length();
    while (end > 0 && Character.isWhitespace(all.charAt(end - 1))) {
      end--;
    }
    return all.subSequence(end, all.length()).toString();
  }

  public CharSequence of(DeltaText text) {
    StringBuilder kept = texts.get(text);
    return kept == null ? "" : kept;
  }

  /** Returns the text member under which the client already has this text. */
  public DeltaText deliveredAs(DeltaText text) {
    return of(text).isEmpty() && !of(text.twin()).isEmpty() ? text.twin() : text;
  }

  /** True if every chunk had this member with this value, and there was at least one chunk. */
  public boolean hasConstant(JsonMembers delta, int i) {
    return delta.text(i).equals(constants.get(delta.name(i)));
  }

  /** True if no chunk before contradicts that the member is constant; there may have been none. */
  public boolean mayBeConstant(JsonMembers delta, int i) {
    boolean scalar = delta.kind(i) != JsonKind.OBJECT && delta.kind(i) != JsonKind.ARRAY;
    String before = scalar ? constants.get(delta.name(i)) : null;
    return before == null
        ? scalar
            && constants.size() < CONSTANTS_MAX
            && delta.valueEnd(i) - delta.valueStart(i) <= CONSTANT_BYTES_MAX
        : before.equals(delta.text(i));
  }

  public void keepConstant(JsonMembers delta, int i) {
    constants.putIfAbsent(delta.name(i), delta.text(i));
  }

  /** Returns the gateway's own count of the tokens. */
  public long tokens() {
    return TokenEstimate.delivered(events, bytes);
  }

  /** Returns the point from which the stream continues; null while the client has nothing. */
  @Nullable
  public ResumePoint resumePoint() {
    return resumePoint;
  }

  /** Records that a chunk was sent to the client. */
  public void sent(ResumePoint as) {
    resumePoint = as;
  }

  /**
   * Records that more text was sent to the client.
   *
   * @param rawBytes size of the text in the provider's JSON
   */
  public void add(DeltaText text, String more, int rawBytes) {
    if (state != State.TEXT || more.isEmpty()) {
      return;
    }
    if (rawBytes > bytesMax - bytes) {
      end(State.TOO_LONG);
      return;
    }
    bytes += rawBytes;
    events++; // chunks without text count no tokens
    texts.computeIfAbsent(text, _ -> new StringBuilder()).append(more);
  }

  /** Records that something other than text was sent to the client. */
  public void addOther() {
    if (state == State.TEXT) {
      end(State.OTHER);
    }
  }

  private void end(State because) {
    state = because;
    texts.clear();
    bytes = 0;
  }
}
