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

  /** True if the first event of the stream already contains a message item. */
  boolean beginsWithMessage();

  /** Handles a message that begins. */
  void messageBegun(ResponseItem.Message message, ByteBuf out);

  /** Handles the first text of a message, ahead of its delta. */
  void textBegun(ResponseItem.Message message, ByteBuf out);

  /** Handles more of a message's refusal, which does not have it yet. */
  void refusalAdded(ResponseItem.Message message, JsonBytes more, ByteBuf out);

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
    public boolean beginsWithMessage() {
      return true;
    }

    @Override
    public void messageBegun(ResponseItem.Message message, ByteBuf out) {}

    @Override
    public void textBegun(ResponseItem.Message message, ByteBuf out) {}

    @Override
    public void refusalAdded(ResponseItem.Message message, JsonBytes more, ByteBuf out) {}

    @Override
    public void callBegun(ResponseItem.Call call, ByteBuf out) {}

    @Override
    public void argumentsAdded(ResponseItem.Call call, JsonBytes more, ByteBuf out) {}

    @Override
    public void completed(ByteBuf out) {}
  }

  /**
   * Writes events when items and their parts begin, grow and end. An item ends when the next one
   * begins; but a call whose arguments are not whole by then ends with the response, because
   * providers may mix the arguments of calls.
   */
  final class All implements ItemEvents {
    private final ResponseDraft draft;

    All(ResponseDraft draft) {
      this.draft = draft;
    }

    @Override
    public boolean beginsWithMessage() {
      return false;
    }

    @Override
    public void messageBegun(ResponseItem.Message message, ByteBuf out) {
      wholeCallsDone(message, out);
      JsonWriter added = event("response.output_item.added", message, out);
      message.writeInProgress(added.name("item"));
      ResponseEventFrame.end(added, out);
    }

    @Override
    public void textBegun(ResponseItem.Message message, ByteBuf out) {
      JsonWriter part = partEvent("response.content_part.added", message, message.textIndex(), out);
      message.textPart(part.name("part"));
      ResponseEventFrame.end(part, out);
    }

    @Override
    public void refusalAdded(ResponseItem.Message message, JsonBytes more, ByteBuf out) {
      if (message.refusal().isEmpty()) {
        message.refusalBegun();
        JsonWriter part =
            partEvent("response.content_part.added", message, message.refusalIndex(), out);
        message.refusalPart(part.name("part"));
        ResponseEventFrame.end(part, out);
      }
      JsonWriter delta = partEvent("response.refusal.delta", message, message.refusalIndex(), out);
      delta.name("delta").raw(more);
      ResponseEventFrame.end(delta, out);
    }

    /** Ends what came before, and announces the call, with arguments that came before its name. */
    @Override
    public void callBegun(ResponseItem.Call call, ByteBuf out) {
      ResponseItem.Message before = draft.message();
      if (before != null) {
        messageDone(before, out);
        draft.endMessage();
      }
      wholeCallsDone(call, out);
      announce(call, out);
    }

    /** Ends the calls ahead of an item that begins, if they are whole. */
    private void wholeCallsDone(ResponseItem begun, ByteBuf out) {
      for (ResponseItem item : draft.items()) {
        if (item instanceof ResponseItem.Call call && !call.equals(begun) && call.mayEnd()) {
          callDone(call, out);
        }
      }
    }

    private void announce(ResponseItem.Call call, ByteBuf out) {
      JsonWriter added = event("response.output_item.added", call, out);
      call.writeInProgress(added.name("item"));
      ResponseEventFrame.end(added, out);
      if (!call.arguments().isEmpty()) {
        argumentsDelta(call, call.arguments().json(), out);
      }
    }

    @Override
    public void argumentsAdded(ResponseItem.Call call, JsonBytes more, ByteBuf out) {
      if (call.isNamed()) {
        argumentsDelta(call, more, out);
      }
    }

    private void argumentsDelta(ResponseItem.Call call, JsonBytes more, ByteBuf out) {
      JsonWriter delta = itemEvent("response.function_call_arguments.delta", call, out);
      delta.name("delta").raw(more);
      ResponseEventFrame.end(delta, out);
    }

    @Override
    public void completed(ByteBuf out) {
      for (ResponseItem item : draft.items()) {
        switch (item) {
          case ResponseItem.Message message -> {
            if (message.equals(draft.message())) {
              messageDone(message, out);
            }
          }
          case ResponseItem.Call call -> {
            if (!call.isEnded()) {
              callDone(call, out);
            }
          }
        }
      }
    }

    private void messageDone(ResponseItem.Message message, ByteBuf out) {
      if (message.isRefusalFirst()) {
        refusalDone(message, out);
        textDone(message, out);
      } else {
        textDone(message, out);
        refusalDone(message, out);
      }
      itemDone(message, out);
    }

    private void textDone(ResponseItem.Message message, ByteBuf out) {
      if (message.text().isEmpty()) {
        return;
      }
      int index = message.textIndex();
      JsonWriter text = partEvent("response.output_text.done", message, index, out);
      text.name("text").raw(message.text().json());
      text.name("logprobs").beginArray().endArray();
      ResponseEventFrame.end(text, out);
      JsonWriter part = partEvent("response.content_part.done", message, index, out);
      message.textPart(part.name("part"));
      ResponseEventFrame.end(part, out);
    }

    private void refusalDone(ResponseItem.Message message, ByteBuf out) {
      if (message.refusal().isEmpty()) {
        return;
      }
      int index = message.refusalIndex();
      JsonWriter refusal = partEvent("response.refusal.done", message, index, out);
      refusal.name("refusal").raw(message.refusal().json());
      ResponseEventFrame.end(refusal, out);
      JsonWriter part = partEvent("response.content_part.done", message, index, out);
      message.refusalPart(part.name("part"));
      ResponseEventFrame.end(part, out);
    }

    private void callDone(ResponseItem.Call call, ByteBuf out) {
      if (!call.isNamed()) {
        announce(call, out);
      }
      call.end();
      JsonWriter done = itemEvent("response.function_call_arguments.done", call, out);
      done.name("name").raw(call.name()).name("arguments").raw(call.arguments().json());
      ResponseEventFrame.end(done, out);
      itemDone(call, out);
    }

    private void itemDone(ResponseItem item, ByteBuf out) {
      JsonWriter done = event("response.output_item.done", item, out);
      item.writeTo(done.name("item"), ResponseItem.COMPLETED);
      ResponseEventFrame.end(done, out);
    }

    private JsonWriter partEvent(
        String type, ResponseItem.Message message, int index, ByteBuf out) {
      return itemEvent(type, message, out).name("content_index").number(index);
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
