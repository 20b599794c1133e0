package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.RootEdits;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonStringScanner;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Fast path for a stream whose chunks differ in one text and perhaps in padding: writes such chunks
 * without parsing them. The pattern is learned from a chunk and its output; the next chunk with the
 * same bytes around its text is written without parsing. It is valid until the first chunk that
 * differs. It is confined to one event loop.
 */
final class ChunkPattern {
  /** Learning stops for providers whose chunks also differ elsewhere. */
  private static final int MISSES_MAX = 8;

  private static final int BYTES_MAX = 4 * 1024;
  private static final int FRAME_BYTES = "data: ".length();
  private static final int END_BYTES = "\n\n".length();

  private final JsonStringScanner strings = new JsonStringScanner();
  private @Nullable Known known;
  private boolean matched;
  private int misses;
  private int textBytes;

  /** Bytes around a chunk's text with its quotation marks, and their output. */
  private static final class Known {
    final byte[] before;
    final byte @Nullable [] padding;
    final byte[] after;
    final byte[] writtenBefore;
    final byte[] writtenBehind;

    /**
     * @param padding bytes between text and padding; null if there is no padding
     * @param written output before the text, with the event's frame
     * @param writtenBehind output after the text
     */
    Known(
        byte[] before,
        byte @Nullable [] padding,
        byte[] after,
        byte[] written,
        byte[] writtenBehind) {
      this.before = before;
      this.padding = padding;
      this.after = after;
      this.writtenBefore = written;
      this.writtenBehind = writtenBehind;
    }
  }

  /** Writes a chunk of the pattern. Returns false if the chunk does not match. */
  boolean write(byte[] data, int from, int to, ByteBuf out) {
    Known like = known;
    if (like == null) {
      return false;
    }
    int text = from + like.before.length;
    if (text >= to || !matchesAt(like.before, data, from, to)) {
      return false;
    }
    int textEnd = stringEnd(data, text, to);
    if (textEnd <= text || !isBehind(like, data, textEnd, to)) {
      return false;
    }
    matched = true;
    textBytes = textEnd - text;
    out.writeBytes(like.writtenBefore)
        .writeBytes(data, text, textBytes)
        .writeBytes(like.writtenBehind);
    return true;
  }

  /** Returns the length of the text in the last chunk, in bytes of JSON. */
  int textBytes() {
    return textBytes;
  }

  private boolean isBehind(Known like, byte[] data, int textEnd, int to) {
    int at = textEnd;
    if (like.padding != null) {
      if (!matchesAt(like.padding, data, at, to)) {
        return false;
      }
      at = stringEnd(data, at + like.padding.length, to);
    }
    return at >= 0 && to - at == like.after.length && matchesAt(like.after, data, at, to);
  }

  /** Returns the offset of the quotation mark after a text; -1 if no text begins at the offset. */
  private int stringEnd(byte[] data, int text, int to) {
    return strings.endOf(data, text - 1, to) - 1;
  }

  private static boolean matchesAt(byte[] expected, byte[] data, int at, int to) {
    int end = at + expected.length;
    return end <= to && Arrays.equals(expected, 0, expected.length, data, at, end);
  }

  /** Forgets the pattern, because the stream contains a chunk that does not match. */
  void forget() {
    if (known != null) {
      known = null;
      misses = matched ? 0 : misses + 1;
      matched = false;
    }
  }

  /**
   * Learns from a chunk whose delta has one text and nothing else.
   *
   * @param choicesAt index of the root member that contains the text
   * @param textAt index of the text in the delta
   * @param event offset in {@code out} of the one event that was written for the chunk
   */
  void learn(
      JsonMembers root, int choicesAt, JsonMembers delta, int textAt, ByteBuf out, int event) {
    int bytes = out.writerIndex() - event;
    if (misses >= MISSES_MAX || bytes > BYTES_MAX || root.objectEnd() - root.start() > BYTES_MAX) {
      return;
    }
    byte[] written = new byte[bytes];
    out.getBytes(event, written);
    int text = delta.valueStart(textAt) + 1;
    int textEnd = delta.valueEnd(textAt) - 1;
    int there = textOf(written, delta.name(textAt));
    int thereEnd = there + textEnd - text;
    if (there < 0 || !Arrays.equals(root.bytes(), text, textEnd, written, there, thereEnd)) {
      return;
    }
    int padding = paddingBehind(root, choicesAt);
    int after = padding < 0 ? textEnd : root.valueEnd(padding) - 1;
    byte[] source = root.bytes();
    known =
        new Known(
            Arrays.copyOfRange(source, root.objectStart(), text),
            padding < 0 ? null : Arrays.copyOfRange(source, textEnd, root.valueStart(padding) + 1),
            Arrays.copyOfRange(source, after, root.objectEnd()),
            Arrays.copyOf(written, there),
            Arrays.copyOfRange(written, thereEnd, bytes));
  }

  /**
   * Returns the index of the padding member, which differs in each chunk and is removed; -1 if
   * there is none.
   */
  private static int paddingBehind(JsonMembers root, int choicesAt) {
    for (String name : RootEdits.PADDING) {
      int i = root.indexOf(name, choicesAt);
      if (i >= 0) {
        return root.kind(i) == JsonKind.STRING ? i : -1;
      }
    }
    return -1;
  }

  /** Returns the offset of the delta's text in an event that was written; -1 if absent. */
  private static int textOf(byte[] event, String name) {
    JsonMembers root = new JsonMembers();
    try {
      root.read(event, FRAME_BYTES, event.length - END_BYTES);
    } catch (InvalidJson e) {
      return -1;
    }
    int choices = root.indexOf("choices");
    if (choices < 0 || root.kind(choices) != JsonKind.ARRAY) {
      return -1;
    }
    JsonElements elements = root.array(choices);
    if (elements.size() != 1 || elements.kind(0) != JsonKind.OBJECT) {
      return -1;
    }
    JsonMembers choice = elements.object(0);
    int delta = choice.indexOf("delta");
    return delta < 0 || choice.kind(delta) != JsonKind.OBJECT
        ? -1
        : textIn(choice.object(delta), name);
  }

  private static int textIn(JsonMembers delta, String name) {
    int i = delta.indexOf(name);
    return i >= 0 && delta.kind(i) == JsonKind.STRING ? delta.valueStart(i) + 1 : -1;
  }
}
