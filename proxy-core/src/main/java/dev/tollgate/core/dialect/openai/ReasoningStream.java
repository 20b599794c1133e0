package dev.tollgate.core.dialect.openai;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonDefect;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.sse.SseSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stream sink that moves the reasoning in chat completion chunks to the canonical member. Other
 * chunks pass unchanged. Not thread safe: one stream on one loop.
 */
final class ReasoningStream implements SseSink {
  private static final String EVENT = "message";
  private static final int BYTES_AT_REST_MAX = 8 * 1024;
  private static final byte[] DONE = "[DONE]".getBytes(US_ASCII);
  private static final byte[] NO_DELTA = "{\"index\":0,\"delta\":{}}".getBytes(US_ASCII);

  private final ReasoningText reasoning;
  private final SseSink canonical;
  private final JsonMembers root = new JsonMembers();
  private final JsonElements choices = new JsonElements();
  private final JsonMembers choice = new JsonMembers();
  private final JsonMembers delta = new JsonMembers();
  private ByteBuf buffer = Unpooled.buffer(512);

  ReasoningStream(ReasoningText reasoning, SseSink canonical) {
    this.reasoning = reasoning;
    this.canonical = canonical;
  }

  @Override
  public void event(String name, byte[] data, int from, int to) {
    if (reasoning.hasPending() && isDone(data, from, to)) {
      flushPending();
    }
    JsonSplice edits = edits(data, from, to);
    if (edits == null) {
      canonical.event(name, data, from, to);
    } else {
      send(name, edits);
    }
  }

  private static boolean isDone(byte[] data, int from, int to) {
    return to - from >= DONE.length
        && Arrays.equals(data, from, from + DONE.length, DONE, 0, DONE.length);
  }

  private @Nullable JsonSplice edits(byte[] data, int from, int to) {
    try {
      Set<JsonDefect> defects = root.readRepaired(data, from, to);
      if (!defects.isEmpty()) {
        canonical.repaired(defects);
      }
    } catch (InvalidJson e) {
      return null;
    }
    int i = JsonReads.find(root, "choices", JsonKind.ARRAY);
    if (i < 0) {
      return null;
    }
    choices.readInside(root, i);
    for (int k = 0; k < choices.size(); k++) {
      JsonSplice edited = choices.kind(k) == JsonKind.OBJECT ? edited(k) : null;
      if (edited != null) {
        return JsonSplice.of(root).replace(i, JsonSplice.of(choices).replace(k, edited));
      }
    }
    return null;
  }

  /** Returns the edits of the choice that clients get; there is only one. */
  private @Nullable JsonSplice edited(int k) {
    choice.readInside(choices, k);
    int index = choice.indexOf("index");
    int i = JsonReads.find(choice, "delta", JsonKind.OBJECT);
    if (i < 0 || (index >= 0 && choice.integer(index, 0) != 0)) {
      return null;
    }
    delta.readInside(choice, i);
    JsonSplice relocated =
        reasoning.relocate(delta, JsonReads.findText(choice, "finish_reason") >= 0);
    return relocated == null ? null : JsonSplice.of(choice).replace(i, relocated);
  }

  /**
   * Sends buffered text when a stream ends without a finish reason and without the tag that would
   * have decided.
   */
  private void flushPending() {
    JsonMembers nothing = JsonMembers.ofKept(NO_DELTA);
    JsonSplice relocated = reasoning.relocate(nothing.object(1), true);
    if (relocated != null) {
      JsonMembers chunk = JsonMembers.ofKept("{\"choices\":[0]}".getBytes(US_ASCII));
      JsonSplice pending = JsonSplice.of(nothing).replace(1, relocated);
      send(
          EVENT,
          JsonSplice.of(chunk).replace(0, JsonSplice.of(chunk.array(0)).replace(0, pending)));
    }
  }

  private void send(String name, JsonSplice edits) {
    buffer.clear();
    edits.writeTo(buffer);
    canonical.event(name, buffer.array(), buffer.arrayOffset(), buffer.writerIndex());
    if (buffer.capacity() > BYTES_AT_REST_MAX) {
      buffer = Unpooled.buffer(512);
    }
  }

  @Override
  public void comment() {
    canonical.comment();
  }

  @Override
  public void repaired(Set<JsonDefect> defects) {
    canonical.repaired(defects);
  }

  @Override
  public void oversized(int eventBytesMax) {
    canonical.oversized(eventBytesMax);
  }
}
