package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import java.util.function.Supplier;

/**
 * Thoughts that a client hands back with their signatures: as {@code reasoning_details}, the way we
 * gave them out, or as Anthropic's own {@code thinking_blocks}.
 */
final class AnthropicThoughts {
  private AnthropicThoughts() {}

  /** Takes them in their order. */
  interface Reader {
    void signed(CharSequence text, JsonBytes signature);

    /** A string that only its provider can read. */
    void hidden(JsonItems from, int i);
  }

  /** Whether something of them would be written. */
  static boolean areIn(JsonMembers message) {
    return haveDetails(message) || haveBlocks(message);
  }

  private static boolean haveDetails(JsonMembers message) {
    int i = Given.at(message, "reasoning_details", JsonKind.ARRAY);
    JsonElements details = i < 0 ? new JsonElements() : message.array(i);
    for (int k = 0; k < details.size(); k++) {
      if (details.kind(k) == JsonKind.OBJECT && proves(details.object(k))) {
        return true;
      }
    }
    return false;
  }

  private static boolean proves(JsonMembers detail) {
    if (isForeign(detail)) {
      return false;
    }
    return Given.is(detail, "type", ReasoningDetail.ENCRYPTED)
        ? Given.text(detail, "data") >= 0
        : Given.is(detail, "type", ReasoningDetail.TEXT) && Given.text(detail, "signature") >= 0;
  }

  private static boolean haveBlocks(JsonMembers message) {
    int i = Given.at(message, "thinking_blocks", JsonKind.ARRAY);
    JsonElements blocks = i < 0 ? new JsonElements() : message.array(i);
    for (int k = 0; k < blocks.size(); k++) {
      if (isThought(blocks, k)) {
        return true;
      }
    }
    return false;
  }

  /** Writes them as blocks. */
  static void write(JsonMembers message, Supplier<JsonOut> place) {
    read(
        message,
        new Reader() {
          @Override
          public void signed(CharSequence text, JsonBytes signature) {
            JsonOut out = place.get().beginObject().name("type").string("thinking");
            out.name("thinking").string(text).name("signature").raw(signature).endObject();
          }

          @Override
          public void hidden(JsonItems from, int i) {
            JsonOut out = place.get().beginObject().name("type").string("redacted_thinking");
            out.name("data").raw(JsonBytes.of(from, i)).endObject();
          }
        });
  }

  /** Reads them; those without a signature were another provider's. */
  static void read(JsonMembers message, Reader reader) {
    if (haveDetails(message)) {
      details(message.array(message.indexOf("reasoning_details")), reader);
    } else if (haveBlocks(message)) {
      blocks(message.array(message.indexOf("thinking_blocks")), reader);
    }
  }

  /** A thought's text may come in pieces, and its signature behind them. */
  private static void details(JsonElements details, Reader reader) {
    StringBuilder text = new StringBuilder();
    for (int k = 0; k < details.size(); k++) {
      if (details.kind(k) != JsonKind.OBJECT || isForeign(details.object(k))) {
        continue;
      }
      JsonMembers detail = details.object(k);
      int hidden = Given.text(detail, "data");
      if (Given.is(detail, "type", ReasoningDetail.ENCRYPTED) && hidden >= 0) {
        reader.hidden(detail, hidden);
      } else if (Given.is(detail, "type", ReasoningDetail.TEXT)) {
        int piece = Given.text(detail, "text");
        text.append(piece < 0 ? "" : detail.string(piece));
        int signature = Given.text(detail, "signature");
        if (signature >= 0) {
          reader.signed(text, JsonBytes.of(detail, signature));
          text.setLength(0);
        }
      }
    }
  }

  /** Other gateways say whose signature it is. */
  private static boolean isForeign(JsonMembers detail) {
    int format = Given.text(detail, "format");
    return format >= 0 && !detail.string(format).startsWith("anthropic");
  }

  private static void blocks(JsonElements blocks, Reader reader) {
    for (int k = 0; k < blocks.size(); k++) {
      if (isThought(blocks, k)) {
        block(blocks.object(k), reader);
      }
    }
  }

  private static void block(JsonMembers block, Reader reader) {
    if (Given.is(block, "type", "redacted_thinking")) {
      reader.hidden(block, block.indexOf("data"));
      return;
    }
    int text = Given.at(block, "thinking", JsonKind.STRING);
    JsonBytes signature = JsonBytes.of(block, block.indexOf("signature"));
    reader.signed(text < 0 ? "" : block.string(text), signature);
  }

  private static boolean isThought(JsonElements blocks, int k) {
    if (blocks.kind(k) != JsonKind.OBJECT) {
      return false;
    }
    JsonMembers block = blocks.object(k);
    return Given.is(block, "type", "redacted_thinking")
        ? Given.text(block, "data") >= 0
        : Given.is(block, "type", "thinking") && Given.text(block, "signature") >= 0;
  }
}
