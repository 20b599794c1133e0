package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.BrokenStream;
import dev.tollgate.core.api.ErrorForm;
import dev.tollgate.core.api.IncompleteReason;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.ResumePoint;
import dev.tollgate.core.api.chat.ChoiceReader;
import dev.tollgate.core.api.chat.ChunkWriter;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writer of a translated chat stream as events of the Responses API
 * (docs/decisions/responses.md#events). The stream has one event at the start, one for each piece
 * of text, and one with everything at the end. A client that needs OpenAI's events also gets those
 * about items; otherwise the first event contains the message already begun.
 */
public final class ResponsesChunkWriter implements ChunkWriter {
  private final ReplyStamp stamp;
  private final ChoiceReader choice;
  private final ResponseObject response;
  private final ResponseDraft draft;
  private final ItemEvents items;
  private IncompleteReason incomplete = IncompleteReason.NONE;

  /**
   * @param resumePoint state of the response that the client already has; null means none
   */
  ResponsesChunkWriter(
      ReplyStamp stamp,
      ChoiceReader choice,
      ResponsesRequest request,
      @Nullable ResumePoint resumePoint) {
    this.stamp = stamp;
    this.choice = choice;
    this.response = new ResponseObject(stamp, request.tools());
    this.draft = resumePoint instanceof ResponseDraft reported ? reported : new ResponseDraft();
    this.items = ItemEvents.of(request.events(), draft);
  }

  /** Returns the writers for a request. */
  public static Factory form(ResponsesRequest request) {
    return (stamp, root, choice, resumePoint) ->
        new ResponsesChunkWriter(stamp, choice, request, resumePoint);
  }

  /** Does nothing: the gateway sets the identity of the response. */
  @Override
  public void takeIdentity() {}

  @Override
  public ResumePoint resumePoint() {
    return draft;
  }

  /** Does nothing: there is no event before content. */
  @Override
  public void hold(int choices, ByteBuf out) {}

  @Override
  public void write(int choices, ByteBuf out) {
    JsonMembers delta = choice.repairedDelta();
    begin(out);
    members(delta, out);
    if (choice.finishes()) {
      incomplete = choice.incomplete();
    }
  }

  private void members(@Nullable JsonMembers delta, ByteBuf out) {
    if (delta != null) {
      for (int i = 0; i < delta.size(); i++) {
        member(delta, i, out);
      }
    }
  }

  private void begin(ByteBuf out) {
    if (draft.isBegun()) {
      return;
    }
    ResponseItem.Message first = items.beginsWithMessage() ? draft.beginMessage(stamp) : null;
    JsonWriter event = ResponseEventFrame.begin("response.created", draft, out);
    response.writeInProgress(first, event.name("response"));
    ResponseEventFrame.end(event, out);
  }

  private void member(JsonMembers delta, int i, ByteBuf out) {
    switch (delta.kind(i)) {
      case STRING -> {
        if (delta.isName(i, "content") && !delta.isEmptyString(i)) {
          text(delta, i, out);
        } else if (delta.isName(i, "refusal") && !delta.isEmptyString(i)) {
          ResponseItem.Message message = message(out);
          items.refusalAdded(message, JsonBytes.of(delta, i), out);
          message.refusal().add(delta, i);
          draft.addBytes(delta.valueEnd(i) - delta.valueStart(i));
        }
      }
      case ARRAY -> {
        if (delta.isName(i, "tool_calls")) {
          calls(delta.array(i), out);
        } else if (delta.isName(i, "content")) {
          parts(delta.array(i), out);
        }
      }
      case NUMBER, TRUE, FALSE, NULL, OBJECT -> {}
    }
  }

  /** Writes a list of parts, in which some providers mix reasoning and text. */
  private void parts(JsonElements parts, ByteBuf out) {
    for (int k = 0; k < parts.size(); k++) {
      JsonMembers part = parts.kind(k) == JsonKind.OBJECT ? parts.object(k) : new JsonMembers();
      int text = part.indexOf("text");
      if (text >= 0 && part.kind(text) == JsonKind.STRING && !part.isEmptyString(text)) {
        text(part, text, out);
      }
    }
  }

  private void text(JsonItems items, int i, ByteBuf out) {
    ResponseItem.Message message = messageWithText(out);
    message.text().add(items, i);
    draft.addBytes(items.valueEnd(i) - items.valueStart(i));
    textDelta(message, JsonBytes.of(items, i), out);
  }

  private ResponseItem.Message messageWithText(ByteBuf out) {
    ResponseItem.Message message = message(out);
    if (message.text().isEmpty()) {
      items.textBegun(message, out);
    }
    return message;
  }

  private ResponseItem.Message message(ByteBuf out) {
    ResponseItem.Message message = draft.message();
    if (message == null) {
      message = draft.beginMessage(stamp);
      items.messageBegun(message, out);
    }
    return message;
  }

  private void textDelta(ResponseItem.Message message, JsonBytes text, ByteBuf out) {
    JsonWriter event = ResponseEventFrame.begin("response.output_text.delta", draft, out);
    event.name("item_id").string(message.id());
    event.name("output_index").number(draft.outputIndex(message));
    event.name("content_index").number(message.textIndex()).name("delta").raw(text);
    event.name("logprobs").beginArray().endArray(); // SDKs with types want it
    ResponseEventFrame.end(event, out);
  }

  private void calls(JsonElements fragments, ByteBuf out) {
    for (int k = 0; k < fragments.size(); k++) {
      if (fragments.kind(k) == JsonKind.OBJECT) {
        fragment(fragments.object(k), out);
      }
    }
  }

  private void fragment(JsonMembers fragment, ByteBuf out) {
    int at = fragment.indexOf("index");
    long index = at < 0 ? 0 : fragment.integer(at, 0);
    ResponseItem.Call call = draft.call(index);
    if (call == null) {
      call = draft.begin(index, new ResponseItem.Call(stamp, draft.callCount()));
      draft.outputIndex(call);
    }
    int id = fragment.indexOf("id");
    if (id >= 0 && fragment.kind(id) == JsonKind.STRING && !fragment.isEmptyString(id)) {
      draft.addBytes(call.identify(fragment.string(id)));
    }
    int function = fragment.indexOf("function");
    if (function >= 0 && fragment.kind(function) == JsonKind.OBJECT) {
      function(call, fragment.object(function), out);
    }
  }

  private void function(ResponseItem.Call call, JsonMembers function, ByteBuf out) {
    int name = function.indexOf("name");
    if (!call.isNamed()
        && name >= 0
        && function.kind(name) == JsonKind.STRING
        && !function.isEmptyString(name)) {
      draft.addBytes(call.name(function.string(name)));
      items.callBegun(call, out);
    }
    int arguments = function.indexOf("arguments");
    if (!call.isEnded()
        && arguments >= 0
        && function.kind(arguments) == JsonKind.STRING
        && !function.isEmptyString(arguments)) {
      call.arguments().add(function, arguments);
      draft.addBytes(function.valueEnd(arguments) - function.valueStart(arguments));
      items.argumentsAdded(call, JsonBytes.of(function, arguments), out);
    }
  }

  @Override
  public void writeContent(String text, ByteBuf out) {
    begin(out);
    ResponseItem.Message message = messageWithText(out);
    JsonBytes json = JsonBytes.string(text);
    message.text().add(text);
    draft.addBytes(text.length());
    textDelta(message, json, out);
  }

  /** Ends the calls only: the last event is the finish. */
  @Override
  public void writeFinish(ByteBuf out) {
    members(choice.lastDelta(), out);
  }

  @Override
  public void writeUsage(Usage charged, MicroUsd cost, byte @Nullable [] reported, ByteBuf out) {
    begin(out);
    items.completed(out);
    JsonWriter event = ResponseEventFrame.begin("response.completed", draft, out);
    response.writeWhole(draft.items(), incomplete, charged, cost, reported, event.name("response"));
    ResponseEventFrame.end(event, out);
  }

  /** Adds the usage to the error, because there is no event for a broken response. */
  @Override
  public BrokenStream broken(
      Fault fault, Usage charged, MicroUsd cost, byte @Nullable [] reported, ByteBuf out) {
    Map<String, Object> details = new HashMap<>(fault.details());
    details.put("usage", ResponsesUsageJson.of(charged, cost, reported));
    return new BrokenStream(fault.withDetails(details), new ErrorForm.Event(draft.nextNumber()));
  }

  @Override
  public int keptBytes() {
    return draft.bytes();
  }

  @Override
  public void release() {}
}
