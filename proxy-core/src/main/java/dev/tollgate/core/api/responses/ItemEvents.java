package dev.tollgate.core.api.responses;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;

/**
 * Writer of the stream events about a response's items, which writes either none or all that OpenAI
 * has.
 */
sealed interface ItemEvents {
  static ItemEvents of(ResponseEventSet list, ResponseDraft draft) {
    return switch (list) {
      case LISTED -> new None();
      case EXTENDED -> new All(draft);
    };
  }

  /**
   * True if the response begins with a message item.
   *
   * @param saysText true if the first content is text
   */
  boolean beginsWithMessage(boolean saysText);

  /** Handles a message that begins after other items. */
  void messageBegun(ResponseItem.Message message, ByteBuf out);

  /** Handles a call whose name is known. */
  void callBegun(ResponseItem.Call call, ByteBuf out);

  /** Handles more arguments of a call, which has them already. */
  void argumentsAdded(ResponseItem.Call call, JsonBytes more, ByteBuf out);

  /** Handles the end of the response. */
  void completed(ByteBuf out);

  /** Writes no events: items appear in the first and the last event of the stream only. */
  final class None implements ItemEvents {
    /** Returns true, because text may still come and no event could announce a new message. */
    @Override
    public boolean beginsWithMessage(boolean saysText) {
      return true;
    }

    @Override
    public void messageBegun(ResponseItem.Message message, ByteBuf out) {}

    @Override
    public void callBegun(ResponseItem.Call call, ByteBuf out) {}

    @Override
    public void argumentsAdded(ResponseItem.Call call, JsonBytes more, ByteBuf out) {}

    @Override
    public void completed(ByteBuf out) {}
  }

  /** Writes events when items begin, grow and end. */
  final class All implements ItemEvents {
    private final ResponseDraft draft;

    All(ResponseDraft draft) {
      this.draft = draft;
    }

    @Override
    public boolean beginsWithMessage(boolean saysText) {
      return saysText;
    }

    @Override
    public void messageBegun(ResponseItem.Message message, ByteBuf out) {
      JsonWriter added = event("response.output_item.added", message, out);
      message.writeInProgress(added.name("item"));
      ResponseEventFrame.end(added, out);
      JsonWriter part = itemEvent("response.content_part.added", message, out);
      message.textPart(part.name("content_index").number(0).name("part"));
      ResponseEventFrame.end(part, out);
    }

    /** Announces the call, with arguments that came before its name. */
    @Override
    public void callBegun(ResponseItem.Call call, ByteBuf out) {
      JsonWriter added = event("response.output_item.added", call, out);
      call.writeInProgress(added.name("item"));
      ResponseEventFrame.end(added, out);
      if (!call.arguments().isEmpty()) {
        argumentsAdded(call, call.arguments().json(), out);
      }
    }

    @Override
    public void argumentsAdded(ResponseItem.Call call, JsonBytes more, ByteBuf out) {
      if (call.isNamed()) {
        JsonWriter delta = itemEvent("response.function_call_arguments.delta", call, out);
        delta.name("delta").raw(more);
        ResponseEventFrame.end(delta, out);
      }
    }

    @Override
    public void completed(ByteBuf out) {
      for (ResponseItem item : draft.items()) {
        switch (item) {
          case ResponseItem.Message message -> textDone(message, out);
          case ResponseItem.Call call -> argumentsDone(call, out);
        }
        JsonWriter done = event("response.output_item.done", item, out);
        item.writeTo(done.name("item"), ResponseItem.COMPLETED);
        ResponseEventFrame.end(done, out);
      }
    }

    private void textDone(ResponseItem.Message message, ByteBuf out) {
      JsonWriter text = itemEvent("response.output_text.done", message, out);
      text.name("content_index").number(0).name("text").raw(message.text().json());
      text.name("logprobs").beginArray().endArray();
      ResponseEventFrame.end(text, out);
      JsonWriter part = itemEvent("response.content_part.done", message, out);
      message.textPart(part.name("content_index").number(0).name("part"));
      ResponseEventFrame.end(part, out);
    }

    private void argumentsDone(ResponseItem.Call call, ByteBuf out) {
      if (!call.isNamed()) {
        callBegun(call, out);
      }
      JsonWriter done = itemEvent("response.function_call_arguments.done", call, out);
      done.name("arguments").raw(call.arguments().json());
      ResponseEventFrame.end(done, out);
    }

    private JsonWriter itemEvent(String type, ResponseItem item, ByteBuf out) {
      JsonWriter event =
          ResponseEventFrame.begin(type, draft, out).name("item_id").string(item.id());
      return event.name("output_index").number(draft.outputIndex(item));
    }

    private JsonWriter event(String type, ResponseItem item, ByteBuf out) {
      return ResponseEventFrame.begin(type, draft, out)
          .name("output_index")
          .number(draft.outputIndex(item));
    }
  }
}
