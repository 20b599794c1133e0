package dev.tollgate.core.dialect.anthropic;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningDetail;
import dev.tollgate.core.dialect.TranslatedStream;
import dev.tollgate.core.dialect.UsageAccumulator;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.sse.SseSink;
import java.util.Arrays;

/**
 * Translates the events of one Anthropic message stream to canonical chat completion chunks. Texts
 * and arguments are copied as they are encoded; of a block only its kind is kept. Not thread safe:
 * one stream on one loop.
 */
final class AnthropicStream extends TranslatedStream {
  private static final int BLOCKS_MAX = 4_096;

  /** Error for a second message in a stream that had content: the two cannot be separated. */
  private static final byte[] SECOND_MESSAGE =
      """
      {"type":"error","error":{"type":"api_error",\
      "message":"a second message began within the stream"}}\
      """
          .getBytes(US_ASCII);

  private final UsageAccumulator usage = new UsageAccumulator(AnthropicUsage.FORMAT);
  private final JsonMembers inside = new JsonMembers();

  /**
   * By block: 0 if it is no tool call, else 1 + the call's index, negative once it has arguments.
   */
  private int[] blocks = new int[8];

  private int calls;
  private int reasoningCount;
  private boolean contentSent;

  AnthropicStream(SseSink canonical) {
    super(canonical);
  }

  @Override
  protected void translate(String name, byte[] data, int from, int to) {
    int type = JsonReads.findText(root, "type");
    if (type < 0) {
      chunks.unreadable();
    } else if (root.isString(type, "content_block_delta")) {
      delta();
    } else if (root.isString(type, "content_block_start")) {
      blockStart();
    } else if (root.isString(type, "content_block_stop")) {
      blockStop();
    } else if (root.isString(type, "message_start")) {
      messageStart();
    } else if (root.isString(type, "message_delta")) {
      messageDelta();
    } else if (root.isString(type, "message_stop")) {
      done();
    } else if (root.isString(type, "error")) {
      error(data, from, to);
    }
    // A ping, or an unknown event.
  }

  // The message

  private void messageStart() {
    int i = JsonReads.find(root, "message", JsonKind.OBJECT);
    if (i < 0) {
      chunks.unreadable();
      return;
    }
    if (contentSent) {
      error(SECOND_MESSAGE, 0, SECOND_MESSAGE.length);
      return;
    }
    Arrays.fill(blocks, 0);
    calls = 0;
    reasoningCount = 0;
    usage.clear();
    inside.readInside(root, i);
    chunks.identify(text("id"), text("model"));
    addUsage(inside);
    JsonWriter delta = chunks.begin();
    delta.name("role").string("assistant").name("content").raw(NO_TEXT);
    chunks.send(delta, usage);
  }

  private JsonBytes text(String member) {
    int i = JsonReads.find(inside, member, JsonKind.STRING);
    return i < 0 ? NO_TEXT : JsonBytes.of(inside, i);
  }

  private void addUsage(JsonMembers from) {
    int i = JsonReads.find(from, "usage", JsonKind.OBJECT);
    if (i >= 0) {
      usage.add(from, i);
    }
  }

  private void messageDelta() {
    addUsage(root);
    int i = JsonReads.find(root, "delta", JsonKind.OBJECT);
    int reason = -1;
    if (i >= 0) {
      inside.readInside(root, i);
      reason = JsonReads.findText(inside, "stop_reason");
    }
    if (reason >= 0) {
      finish(inside.string(reason));
    }
  }

  private void finish(String stopReason) {
    JsonWriter delta = chunks.begin();
    var _ = AnthropicFinish.writeRefusal(inside, stopReason, delta);
    chunks.finish(delta, AnthropicFinish.canonical(stopReason), stopReason, usage);
  }

  // Its blocks

  private int block() {
    int i = root.indexOf("index");
    long index = i < 0 ? -1 : root.integer(i, -1);
    return index >= 0 && index < BLOCKS_MAX ? (int) index : -1;
  }

  private void blockStart() {
    int block = block();
    int i = JsonReads.find(root, "content_block", JsonKind.OBJECT);
    if (block < 0 || i < 0) {
      chunks.unreadable();
      return;
    }
    if (block >= blocks.length) {
      blocks = Arrays.copyOf(blocks, Math.max(2 * blocks.length, block + 1));
    }
    blocks[block] = 0;
    inside.readInside(root, i);
    if (JsonReads.isString(inside, "type", "text")) {
      sendText();
    } else if (JsonReads.isString(inside, "type", "tool_use")) {
      call(block);
    } else if (JsonReads.isString(inside, "type", "thinking")) {
      reasoningCount++;
      sendReasoning();
    } else if (JsonReads.isString(inside, "type", "redacted_thinking")) {
      reasoningCount++;
      sendRedacted();
    }
    // Blocks of the provider's own tools are dropped.
  }

  private void delta() {
    int block = block();
    int i = JsonReads.find(root, "delta", JsonKind.OBJECT);
    if (block < 0 || i < 0) {
      chunks.unreadable();
      return;
    }
    inside.readInside(root, i);
    if (JsonReads.isString(inside, "type", "text_delta")) {
      sendText();
    } else if (JsonReads.isString(inside, "type", "input_json_delta")) {
      sendArguments(block);
    } else if (JsonReads.isString(inside, "type", "thinking_delta")) {
      sendReasoning();
    } else if (JsonReads.isString(inside, "type", "signature_delta")) {
      sendSignature();
    } else if (JsonReads.findText(inside, "type") < 0) {
      chunks.unreadable();
    }
    // Citations name the source of a text; the text itself is sent beside them.
  }

  private void send(JsonWriter delta) {
    contentSent = true;
    chunks.send(delta);
  }

  private void sendText() {
    int text = chunks.text(inside, "text");
    if (text >= 0) {
      send(chunks.begin().name("content").raw(JsonBytes.of(inside, text)));
    }
  }

  /** Sends reasoning as text, and again in the form in which a client can send it back. */
  private void sendReasoning() {
    int text = chunks.text(inside, "thinking");
    if (text >= 0) {
      JsonBytes reasoning = JsonBytes.of(inside, text);
      JsonWriter delta = chunks.begin().name("reasoning_content").raw(reasoning);
      sendDetail(delta, ReasoningDetail.TEXT, "text", reasoning);
    }
  }

  private void sendSignature() {
    int signature = JsonReads.findText(inside, "signature");
    if (signature >= 0) {
      JsonBytes proof = JsonBytes.of(inside, signature);
      sendDetail(chunks.begin(), ReasoningDetail.TEXT, "signature", proof);
    }
  }

  private void sendRedacted() {
    int hidden = JsonReads.findText(inside, "data");
    if (hidden >= 0) {
      JsonBytes content = JsonBytes.of(inside, hidden);
      sendDetail(chunks.begin(), ReasoningDetail.ENCRYPTED, "data", content);
    }
  }

  private void sendDetail(JsonWriter delta, String type, String member, JsonBytes value) {
    delta.name("reasoning_details").beginArray();
    ReasoningDetail.begin(type, Math.max(0, reasoningCount - 1), delta).name(member).raw(value);
    send(delta.endObject().endArray());
  }

  // Its tool calls, numbered on their own

  private void call(int block) {
    int id = JsonReads.findText(inside, "id");
    int name = JsonReads.findText(inside, "name");
    if (id < 0 || name < 0) {
      chunks.unreadable();
      return;
    }
    int input = JsonReads.find(inside, "input", JsonKind.OBJECT);
    boolean hasArguments = input >= 0 && !JsonReads.isEmpty(inside, input);
    int index = calls++;
    blocks[block] = hasArguments ? -(index + 1) : index + 1;
    contentSent = true;
    chunks.sendCall(
        index,
        JsonBytes.of(inside, id),
        JsonBytes.of(inside, name),
        hasArguments ? JsonBytes.string(inside.text(input)) : NO_TEXT);
  }

  private void sendArguments(int block) {
    int json = chunks.text(inside, "partial_json");
    int call = block < blocks.length ? Math.abs(blocks[block]) : 0;
    if (json >= 0 && call > 0) {
      blocks[block] = -call;
      contentSent = true;
      chunks.sendArguments(call - 1, JsonBytes.of(inside, json));
    }
  }

  /** Ends a block; a call without arguments gets an empty object. */
  private void blockStop() {
    int block = block();
    if (block >= 0 && block < blocks.length && blocks[block] > 0) {
      chunks.sendArguments(blocks[block] - 1, NO_ARGUMENTS);
    }
  }
}
