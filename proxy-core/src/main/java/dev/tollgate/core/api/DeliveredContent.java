package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client has of its stream, kept so that another provider can continue it: the texts, and
 * the identity under which they were sent. Bounded. Not thread safe: one request on one loop.
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

  /** Whether the stream can be continued. */
  public enum State {
    /** All of it is text and kept. */
    TEXT,
    /** Something else was delivered, such as a part of a tool call. */
    OTHER,
    /** There is more text than may be kept. */
    TOO_LONG
  }

  /**
   * @param bytesMax how much text is kept, as it came
   */
  public DeliveredContent(int bytesMax) {
    this.bytesMax = bytesMax;
  }

  public State state() {
    return state;
  }

  /** Whether the client has anything. */
  public boolean isBegun() {
    return resumePoint != null;
  }

  /** How much is kept. */
  public int keptBytes() {
    return bytes;
  }

  /** There is no room to keep it. */
  public void drop() {
    end(State.TOO_LONG);
  }

  /** Whether it is long enough to notice a provider that is handed it and begins it anew. */
  public boolean isDistinctive() {
    return RestartDetector.isDistinctive(of(DeltaText.CONTENT).toString());
  }

  /**
   * Whether a provider can be handed it as the beginning of its answer: only what the assistant
   * said, and no half of a surrogate pair, which no message can end in.
   */
  public boolean isPrefillable() {
    CharSequence text = assistantText();
    return state == State.TEXT
        && texts.size() == 1
        && !text.isEmpty()
        && !Character.isHighSurrogate(text.charAt(text.length() - 1));
  }

  /**
   * What the assistant said so far, but for white space at its end: some providers refuse a message
   * that ends so, and some cut it off and write it once more.
   */
  public CharSequence assistantText() {
    CharSequence all = of(DeltaText.CONTENT);
    return all.subSequence(0, all.length() - trailingWhitespace().length());
  }

  /** The white space at its end. */
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

  /** The text under the name under which the client has it. */
  public DeltaText deliveredAs(DeltaText text) {
    return of(text).isEmpty() && !of(text.twin()).isEmpty() ? text.twin() : text;
  }

  /** Whether each chunk that had this member had it with this value, and one had. */
  public boolean hasConstant(JsonMembers delta, int i) {
    return delta.text(i).equals(constants.get(delta.name(i)));
  }

  /** Whether a member says the same as in all chunks before, which perhaps had none. */
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

  /** Our own count of the tokens. */
  public long tokens() {
    return TokenEstimate.delivered(events, bytes);
  }

  /** What its stream goes on from; null while it has none. */
  @Nullable
  public ResumePoint resumePoint() {
    return resumePoint;
  }

  /** A chunk is sent to the client. */
  public void sent(ResumePoint as) {
    resumePoint = as;
  }

  /**
   * More text is sent to the client.
   *
   * @param rawBytes its size as it came
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
    events++; // chunks without text are no tokens
    texts.computeIfAbsent(text, _ -> new StringBuilder()).append(more);
  }

  /** Something that is not text is sent to the client. */
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
