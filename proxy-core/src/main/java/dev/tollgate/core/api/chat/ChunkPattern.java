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
 * What the chunks of a stream have in common: most of them differ in one text and perhaps in
 * padding. It is learned from a chunk and from what the client got of it; the next one that is the
 * same around its text is written without being taken apart. Valid until the first that is not.
 * Loop-confined.
 */
final class ChunkPattern {
  /** Providers whose chunks differ elsewhere, too, are not asked for a pattern forever. */
  private static final int MISSES_MAX = 8;

  private static final int BYTES_MAX = 4 * 1024;
  private static final int FRAME_BYTES = "data: ".length();
  private static final int END_BYTES = "\n\n".length();

  private final JsonStringScanner strings = new JsonStringScanner();
  private @Nullable Known known;
  private boolean matched;
  private int misses;
  private int textBytes;

  /**
   * Bytes around a chunk's text, its quotation marks included, and what the client gets of them.
   */
  private static final class Known {
    final byte[] before;
    final byte @Nullable [] padding;
    final byte[] behind;
    final byte[] writtenBefore;
    final byte[] writtenBehind;

    /**
     * @param padding what stands between text and padding; null where there is none
     * @param written what the client gets before its text, the event's frame included
     * @param writtenBehind what it gets behind it
     */
    Known(
        byte[] before,
        byte @Nullable [] padding,
        byte[] behind,
        byte[] written,
        byte[] writtenBehind) {
      this.before = before;
      this.padding = padding;
      this.behind = behind;
      this.writtenBefore = written;
      this.writtenBehind = writtenBehind;
    }
  }

  /** Writes a chunk of the pattern; says whether it was one. */
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

  /** How long the text of the chunk was that was written last, as it is spelled. */
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
    return at >= 0 && to - at == like.behind.length && matchesAt(like.behind, data, at, to);
  }

  /** Offset of the quotation mark behind a text, -1 where no text begins at the offset. */
  private int stringEnd(byte[] data, int text, int to) {
    return strings.endOf(data, text - 1, to) - 1;
  }

  private static boolean matchesAt(byte[] expected, byte[] data, int at, int to) {
    int end = at + expected.length;
    return end <= to && Arrays.equals(expected, 0, expected.length, data, at, end);
  }

  /** What comes is not of the pattern: nothing that was learned before holds behind it. */
  void forget() {
    if (known != null) {
      known = null;
      misses = matched ? 0 : misses + 1;
      matched = false;
    }
  }

  /**
   * Learns from a chunk whose delta carries one text and nothing else.
   *
   * @param choicesAt the member of the root that holds the text
   * @param textAt the member of the delta that is the text
   * @param event offset in {@code out} of the one event that was written of it
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
    int behind = padding < 0 ? textEnd : root.valueEnd(padding) - 1;
    byte[] source = root.bytes();
    known =
        new Known(
            Arrays.copyOfRange(source, root.objectStart(), text),
            padding < 0 ? null : Arrays.copyOfRange(source, textEnd, root.valueStart(padding) + 1),
            Arrays.copyOfRange(source, behind, root.objectEnd()),
            Arrays.copyOf(written, there),
            Arrays.copyOfRange(written, thereEnd, bytes));
  }

  /** The member that the client does not get and that is another one in each chunk; -1: none. */
  private static int paddingBehind(JsonMembers root, int choicesAt) {
    for (String name : RootEdits.PADDING) {
      int i = root.indexOf(name, choicesAt);
      if (i >= 0) {
        return root.kind(i) == JsonKind.STRING ? i : -1;
      }
    }
    return -1;
  }

  /** Where the delta's text of a name begins in an event that we wrote; -1 where it is not. */
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
