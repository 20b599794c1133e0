package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One provider's whole chat completion, written as a response (SPEC 2.7). */
final class ResponsesReply implements WholeReply {
  private final ChatReply chat;
  private final ReplyStamp stamp;
  private final ResponseObject response;

  ResponsesReply(ChatReply chat, ReplyStamp stamp, ResponseObject response) {
    this.chat = chat;
    this.stamp = stamp;
    this.response = response;
  }

  @Override
  public Optional<Usage> reportedUsage() {
    return chat.reportedUsage();
  }

  @Override
  public long deliveredTokens() {
    return chat.deliveredTokens();
  }

  @Override
  public void writeTo(Usage charged, MicroUsd cost, ByteBuf out) {
    JsonMembers choice = chat.choice();
    int finish = choice.indexOf("finish_reason");
    Incomplete incomplete =
        finish >= 0 && FinishReason.finishes(choice, finish)
            ? FinishReason.incomplete(choice, finish)
            : Incomplete.NOTHING;
    response.writeWhole(
        items(choice), incomplete, charged, cost, chat.usageTold(), new JsonOut(out));
  }

  private List<ResponseItem> items(JsonMembers choice) {
    var said = new ResponseItem.Message(stamp);
    List<ResponseItem> items = new ArrayList<>();
    items.add(said);
    int at = choice.indexOf("message");
    if (at >= 0 && choice.kind(at) == JsonKind.OBJECT) {
      JsonMembers message = choice.object(at);
      text(message, said);
      int refusal = message.indexOf("refusal");
      if (refusal >= 0) {
        said.refusal().add(message, refusal);
      }
      int calls = message.indexOf("tool_calls");
      if (calls >= 0 && message.kind(calls) == JsonKind.ARRAY) {
        calls(message.array(calls), items);
      }
    }
    return items;
  }

  private static void text(JsonMembers message, ResponseItem.Message said) {
    int content = message.indexOf("content");
    if (content >= 0 && message.kind(content) == JsonKind.ARRAY) {
      JsonElements parts = message.array(content);
      for (int k = 0; k < parts.size(); k++) {
        if (parts.kind(k) == JsonKind.OBJECT) {
          add(parts.object(k), "text", said.text());
        }
      }
    } else {
      add(message, "content", said.text());
    }
  }

  private static void add(JsonMembers members, String name, GrowingText to) {
    int i = members.indexOf(name);
    if (i >= 0) {
      to.add(members, i);
    }
  }

  private void calls(JsonElements calls, List<ResponseItem> items) {
    for (int k = 0; k < calls.size(); k++) {
      if (calls.kind(k) == JsonKind.OBJECT) {
        items.add(call(calls.object(k), items.size() - 1));
      }
    }
  }

  private ResponseItem.Call call(JsonMembers told, int index) {
    var call = new ResponseItem.Call(stamp, index);
    int id = told.indexOf("id");
    if (id >= 0 && isText(told, id)) {
      call.identify(told.string(id));
    }
    int at = told.indexOf("function");
    if (at >= 0 && told.kind(at) == JsonKind.OBJECT) {
      JsonMembers function = told.object(at);
      int name = function.indexOf("name");
      if (name >= 0 && isText(function, name)) {
        call.name(function.string(name));
      }
      add(function, "arguments", call.arguments());
    }
    return call;
  }

  private static boolean isText(JsonItems items, int i) {
    return items.kind(i) == JsonKind.STRING && !items.isEmptyString(i);
  }
}
