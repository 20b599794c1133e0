package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningDetail;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.message.LostMembers;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Reads and writes signed reasoning that a client sends back to Anthropic's models. It has the
 * gateway's own form, {@code reasoning_details}, or Anthropic's, {@code thinking_blocks}.
 */
public final class AnthropicReasoning {
  private static final Set<String> BUT_DETAILS =
      Set.of(ReasoningText.MEMBER, "reasoning", "thinking_blocks");

  private static final Set<String> BUT_BLOCKS =
      Set.of(ReasoningText.MEMBER, "reasoning", LostMembers.DETAILS);

  private AnthropicReasoning() {}

  /** Callback for the reasoning blocks of a message, called in their order. */
  public interface ReasoningReader {
    void signed(CharSequence text, JsonBytes signature);

    /** Reads a block that only its provider can decrypt. */
    void hidden(JsonItems from, int i);
  }

  /** True if a block would be written. */
  static boolean isPresentIn(JsonMembers message) {
    return hasDetails(message) || hasBlocks(message);
  }

  /** Returns the members of a message that are sent as blocks, or whose text is in them. */
  public static Set<String> membersTaken(JsonMembers message) {
    if (hasDetails(message)) {
      return areAllRead(message) ? LostMembers.REASONING : BUT_DETAILS;
    }
    if (!hasBlocks(message)) {
      return Set.of();
    }
    JsonElements blocks = JsonReads.array(message, "thinking_blocks");
    boolean areAllRead =
        IntStream.range(0, blocks.size()).allMatch(k -> isReplayableBlock(blocks, k));
    return areAllRead ? LostMembers.REASONING : BUT_BLOCKS;
  }

  /** True if each of the details is a part of a block that is read. */
  private static boolean areAllRead(JsonMembers message) {
    JsonElements details = JsonReads.array(message, LostMembers.DETAILS);
    boolean isSigned = true;
    for (int k = 0; k < details.size(); k++) {
      JsonMembers detail = JsonReads.object(details, k);
      boolean isText = JsonReads.isString(detail, "type", ReasoningDetail.TEXT);
      if (isForeign(detail) || !(isText || isReplayable(detail))) {
        return false;
      }
      isSigned = isReplayable(detail) && (isText || isSigned);
    }
    return isSigned;
  }

  private static boolean hasDetails(JsonMembers message) {
    JsonElements details = JsonReads.array(message, "reasoning_details");
    for (int k = 0; k < details.size(); k++) {
      if (details.kind(k) == JsonKind.OBJECT && isReplayable(details.object(k))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isReplayable(JsonMembers detail) {
    if (isForeign(detail)) {
      return false;
    }
    return JsonReads.isString(detail, "type", ReasoningDetail.ENCRYPTED)
        ? JsonReads.findText(detail, "data") >= 0
        : JsonReads.isString(detail, "type", ReasoningDetail.TEXT)
            && JsonReads.findText(detail, "signature") >= 0;
  }

  private static boolean hasBlocks(JsonMembers message) {
    JsonElements blocks = JsonReads.array(message, "thinking_blocks");
    for (int k = 0; k < blocks.size(); k++) {
      if (isReplayableBlock(blocks, k)) {
        return true;
      }
    }
    return false;
  }

  /** Writes the reasoning as blocks. */
  static void write(JsonMembers message, Supplier<JsonWriter> place) {
    read(
        message,
        new ReasoningReader() {
          @Override
          public void signed(CharSequence text, JsonBytes signature) {
            JsonWriter out = place.get().beginObject().name("type").string("thinking");
            out.name("thinking").string(text).name("signature").raw(signature).endObject();
          }

          @Override
          public void hidden(JsonItems from, int i) {
            JsonWriter out = place.get().beginObject().name("type").string("redacted_thinking");
            out.name("data").raw(JsonBytes.of(from, i)).endObject();
          }
        });
  }

  /** Reads the blocks; those without a signature are another provider's. */
  public static void read(JsonMembers message, ReasoningReader reader) {
    if (hasDetails(message)) {
      details(message.array(message.indexOf("reasoning_details")), reader);
    } else if (hasBlocks(message)) {
      blocks(message.array(message.indexOf("thinking_blocks")), reader);
    }
  }

  /** Reads details: the text of a block may come in pieces, and its signature after them. */
  private static void details(JsonElements details, ReasoningReader reader) {
    StringBuilder text = new StringBuilder();
    for (int k = 0; k < details.size(); k++) {
      if (details.kind(k) != JsonKind.OBJECT || isForeign(details.object(k))) {
        continue;
      }
      JsonMembers detail = details.object(k);
      int hidden = JsonReads.findText(detail, "data");
      if (JsonReads.isString(detail, "type", ReasoningDetail.ENCRYPTED) && hidden >= 0) {
        reader.hidden(detail, hidden);
      } else if (JsonReads.isString(detail, "type", ReasoningDetail.TEXT)) {
        int piece = JsonReads.findText(detail, "text");
        text.append(piece < 0 ? "" : detail.string(piece));
        int signature = JsonReads.findText(detail, "signature");
        if (signature >= 0) {
          reader.signed(text, JsonBytes.of(detail, signature));
          text.setLength(0);
        }
      }
    }
  }

  /** True if the format, which other gateways add, is another provider's. */
  private static boolean isForeign(JsonMembers detail) {
    int format = JsonReads.findText(detail, "format");
    return format >= 0 && !detail.string(format).startsWith("anthropic");
  }

  private static void blocks(JsonElements blocks, ReasoningReader reader) {
    for (int k = 0; k < blocks.size(); k++) {
      if (isReplayableBlock(blocks, k)) {
        block(blocks.object(k), reader);
      }
    }
  }

  private static void block(JsonMembers block, ReasoningReader reader) {
    if (JsonReads.isString(block, "type", "redacted_thinking")) {
      reader.hidden(block, block.indexOf("data"));
      return;
    }
    int text = JsonReads.find(block, "thinking", JsonKind.STRING);
    JsonBytes signature = JsonBytes.of(block, block.indexOf("signature"));
    reader.signed(text < 0 ? "" : block.string(text), signature);
  }

  private static boolean isReplayableBlock(JsonElements blocks, int k) {
    if (blocks.kind(k) != JsonKind.OBJECT) {
      return false;
    }
    JsonMembers block = blocks.object(k);
    return JsonReads.isString(block, "type", "redacted_thinking")
        ? JsonReads.findText(block, "data") >= 0
        : JsonReads.isString(block, "type", "thinking")
            && JsonReads.findText(block, "signature") >= 0;
  }
}
