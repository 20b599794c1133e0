package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonWriter;

/**
 * Output item of a Responses API reply (docs/decisions/responses.md#object): the assistant's
 * message, or a tool call.
 */
sealed interface ResponseItem {
  String COMPLETED = "completed";
  String IN_PROGRESS = "in_progress";

  String id();

  /** Returns the size of the item's text in bytes. */
  int bytes();

  /** Writes the whole item. */
  void writeTo(JsonWriter out, String status);

  /** The assistant's message. */
  final class Message implements ResponseItem {
    private final String id;
    private final JsonStringBuilder text = new JsonStringBuilder();
    private final JsonStringBuilder refusal = new JsonStringBuilder();
    private boolean refusalFirst;

    /**
     * @param index position of the message among the messages of the response
     */
    Message(ReplyStamp stamp, int index) {
      String first = stamp.idWith("msg_");
      this.id = index == 0 ? first : first + "_" + index;
    }

    @Override
    public String id() {
      return id;
    }

    JsonStringBuilder text() {
      return text;
    }

    JsonStringBuilder refusal() {
      return refusal;
    }

    /** Notes that an event announces the refusal now. */
    void refusalBegun() {
      refusalFirst = text.isEmpty();
    }

    /** True if the refusal was announced ahead of the text. */
    boolean isRefusalFirst() {
      return refusalFirst;
    }

    int textIndex() {
      return refusalFirst ? 1 : 0;
    }

    int refusalIndex() {
      return refusalFirst ? 0 : 1;
    }

    boolean isEmpty() {
      return bytes() == 0;
    }

    @Override
    public int bytes() {
      return text.bytes() + refusal.bytes();
    }

    @Override
    public void writeTo(JsonWriter out, String status) {
      begin(out, status);
      if (refusalFirst) {
        refusalPart(out);
      }
      if (!text.isEmpty() || refusal.isEmpty()) {
        textPart(out);
      }
      if (!refusalFirst && !refusal.isEmpty()) {
        refusalPart(out);
      }
      out.endArray().endObject();
    }

    /** Writes the message before any of its parts. */
    void writeInProgress(JsonWriter out) {
      begin(out, IN_PROGRESS);
      out.endArray().endObject();
    }

    private void begin(JsonWriter out, String status) {
      out.beginObject().name("id").string(id).name("type").string("message");
      out.name("status").string(status).name("role").string("assistant");
      out.name("content").beginArray();
    }

    /** Writes the text part of the content. */
    void textPart(JsonWriter out) {
      out.beginObject().name("type").string("output_text").name("text").raw(text.json());
      out.name("annotations").beginArray().endArray().endObject();
    }

    /** Writes the refusal as a part of the content. */
    void refusalPart(JsonWriter out) {
      out.beginObject().name("type").string("refusal");
      out.name("refusal").raw(refusal.json()).endObject();
    }
  }

  /** A tool call. */
  final class Call implements ResponseItem {
    private static final JsonBytes EMPTY = JsonBytes.string("");

    private final String id;
    private final JsonStringBuilder arguments = new JsonStringBuilder();
    private JsonBytes callId;
    private JsonBytes name = EMPTY;
    private int idChars;
    private boolean named;
    private boolean ended;

    /**
     * @param index position of the call in the response
     */
    Call(ReplyStamp stamp, int index) {
      this.id = stamp.idWith("fc_") + "_" + index;
      this.callId = JsonBytes.string(stamp.callId(index));
    }

    @Override
    public String id() {
      return id;
    }

    JsonStringBuilder arguments() {
      return arguments;
    }

    /** Sets the provider's id in place of an earlier one. Returns the growth in bytes. */
    int identify(String as) {
      int grown = as.length() - idChars;
      idChars = as.length();
      callId = JsonBytes.string(as);
      return grown;
    }

    JsonBytes name() {
      return name;
    }

    /** Sets the name. Returns the growth in bytes. */
    int name(String as) {
      name = JsonBytes.string(as);
      named = true;
      return as.length();
    }

    boolean isNamed() {
      return named;
    }

    /** True if the call has a name and arguments to which nothing can be added. */
    boolean mayEnd() {
      return named && !ended && arguments.isObject();
    }

    /** Ends the call: it gets no more arguments. */
    void end() {
      ended = true;
    }

    boolean isEnded() {
      return ended;
    }

    @Override
    public int bytes() {
      return arguments.bytes();
    }

    @Override
    public void writeTo(JsonWriter out, String status) {
      write(out, status, arguments.json());
    }

    /** Writes the call before any of its arguments. */
    void writeInProgress(JsonWriter out) {
      write(out, IN_PROGRESS, EMPTY);
    }

    private void write(JsonWriter out, String status, JsonBytes argumentsJson) {
      out.beginObject().name("id").string(id).name("type").string("function_call");
      out.name("status").string(status).name("call_id").raw(callId).name("name").raw(name);
      out.name("arguments").raw(argumentsJson).endObject();
    }
  }
}
