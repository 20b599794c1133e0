package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.OpenAiQuirks;
import dev.tollgate.core.catalog.OpenAiQuirks.CallIds;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider.Quirks;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.json.Param;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Edits chat completion requests for OpenAI-compatible servers that deviate from OpenAI's format,
 * and copies all other bytes unchanged.
 */
public final class AdaptedChat {
  private static final JsonBytes SYSTEM = JsonBytes.string("system");
  private static final JsonBytes BETWEEN =
      JsonBytes.raw("{\"role\":\"assistant\",\"content\":\"OK.\"}");
  // Servers that ask for it refuse an empty text.
  private static final JsonBytes NO_REASONING = JsonBytes.string(" ");

  /** Member of other servers' own, such as signatures of a reasoning that only they can read. */
  private static final String EXTRA = "extra_content";

  private static final JsonBytes JSON_OBJECT = JsonBytes.raw("{\"type\":\"json_object\"}");

  private final JsonMembers chat;
  private final OpenAiQuirks quirks;
  private final boolean mayChoosePrices;
  private final boolean hasMediaInResults;
  private final boolean needsPrefix;
  private final DroppedFields dropped = new DroppedFields();

  private AdaptedChat(JsonMembers chat, Quirks quirks, boolean hasMediaInResults) {
    this.chat = chat;
    this.quirks = quirks.openAiQuirks();
    this.mayChoosePrices = quirks.rights().pricedOptions();
    this.needsPrefix = quirks.prefill() == Prefill.PREFIX;
    this.hasMediaInResults = hasMediaInResults;
  }

  /**
   * Adds the edits that a server needs, and those that the rights of its clients demand, to the
   * edits of a chat.
   *
   * @param hasMediaInResults true if results of tools contain media
   * @return JSON paths of fields that the server does not get
   */
  public static List<String> addEdits(
      JsonSplice edits, JsonMembers chat, Quirks quirks, boolean hasMediaInResults) {
    boolean adapts = quirks.openAiQuirks().editsChats() || quirks.prefill() == Prefill.PREFIX;
    if (!adapts && !hasMediaInResults) {
      return PricedOption.drop(chat, Operation.CHAT, quirks, edits);
    }
    var adapted = new AdaptedChat(chat, quirks, hasMediaInResults);
    for (int i = 0; i < chat.size(); i++) {
      adapted.member(i, edits);
    }
    return adapted.dropped.paths();
  }

  private void member(int i, JsonSplice edits) {
    if (!mayChoosePrices && PricedOption.drop(chat, i, Operation.CHAT, edits, dropped)) {
      return;
    }
    String name = chat.name(i);
    String other = quirks.renamedFields().get(name);
    if (name.equals("messages")) {
      messages(i, edits);
    } else if (quirks.droppedFields().contains(name)) {
      edits.delete(i);
      if (hasEffect(chat, i, name)) {
        dropped.add(name);
      }
    } else if (other != null) {
      rename(i, other, edits);
    } else if (name.equals("response_format") && !quirks.jsonSchema()) {
      format(i, edits);
    } else if (name.equals("tool_choice") && !quirks.allowedTools()) {
      allowedTools(i, edits);
    }
  }

  /** Sends only the allowed tools, where a choice among them is refused. */
  private void allowedTools(int i, JsonSplice edits) {
    ToolChoice choice = ToolChoice.of(chat);
    int list = JsonReads.find(chat, "tools", JsonKind.ARRAY);
    if (!choice.isRestricted() || list < 0 || quirks.droppedFields().contains("tools")) {
      return;
    }
    JsonElements tools = chat.array(list);
    JsonSplice offered = JsonSplice.of(tools);
    for (int k = 0; k < tools.size(); k++) {
      if (!choice.offers(JsonReads.object(JsonReads.object(tools, k), "function"))) {
        offered.delete(k);
      }
    }
    edits.replace(i, choice.unrestricted());
    if (!offered.isUnchanged()) {
      edits.replace(list, offered);
    }
  }

  private void rename(int i, String other, JsonSplice edits) {
    edits.delete(i);
    int there = chat.indexOf(other);
    if (there < 0) {
      edits.insertBefore(i, other, JsonBytes.of(chat, i));
    } else if (chat.kind(there) == JsonKind.NULL) {
      edits.replace(there, JsonBytes.of(chat, i));
    } else if (chat.kind(i) != JsonKind.NULL) {
      dropped.add(chat.name(i)); // sent under both names
    }
  }

  private void format(int i, JsonSplice edits) {
    if (chat.kind(i) == JsonKind.OBJECT
        && JsonReads.isString(chat.object(i), "type", "json_schema")) {
      edits.replace(i, JSON_OBJECT);
      dropped.add("response_format.json_schema");
    }
  }

  /** True if a member changes the result: default values do not. An empty search is a search. */
  public static boolean hasEffect(JsonMembers chat, int i, String name) {
    return switch (chat.kind(i)) {
      case NULL -> false;
      case TRUE -> !name.equals("parallel_tool_calls");
      case FALSE -> name.equals("parallel_tool_calls");
      case NUMBER -> chat.number(i) != usualNumber(name);
      case OBJECT -> name.equals("web_search_options") || !JsonReads.isEmpty(chat, i);
      case ARRAY -> !JsonReads.isEmpty(chat, i) && !isUsualList(chat, i, name);
      case STRING -> !isUsualText(chat, i, name);
    };
  }

  /** Returns the value that a number has where it is absent; of a seed there is none. */
  private static double usualNumber(String name) {
    return switch (name) {
      case "seed" -> Double.NaN;
      case "temperature", "top_p" -> 1;
      default -> 0;
    };
  }

  private static boolean isUsualList(JsonMembers chat, int i, String name) {
    JsonElements list = name.equals("modalities") ? chat.array(i) : new JsonElements();
    return list.size() == 1 && list.isString(0, "text");
  }

  private static boolean isUsualText(JsonMembers chat, int i, String name) {
    return switch (name) {
      case "service_tier" -> chat.isString(i, "auto") || chat.isString(i, "default");
      case "tool_choice" -> chat.isString(i, "auto");
      case "verbosity" -> chat.isString(i, "medium");
      case "truncation" -> chat.isString(i, "disabled");
      default -> false;
    };
  }

  // Messages

  private void messages(int i, JsonSplice edits) {
    if (chat.kind(i) != JsonKind.ARRAY) {
      return;
    }
    JsonElements messages = chat.array(i);
    JsonSplice inside = JsonSplice.of(messages);
    schemaInstruction().ifPresent(inside::insertFirst);
    var media = new MediaOfResults();
    boolean isBehindTool = false;
    for (int k = 0; k < messages.size(); k++) {
      JsonMembers message = messages.object(k);
      boolean isAssistant = isRole(message, "assistant");
      boolean needsReasoning =
          quirks.callsNeedReasoning() && isAssistant && (isBehindTool || hasCalls(message));
      JsonSplice edited =
          message(
              message,
              needsReasoning,
              needsPrefix && isAssistant && k == messages.size() - 1,
              Param.of("messages").at(k));
      Optional<JsonBytes> moved = Optional.empty();
      if (hasMediaInResults) {
        edited = media.movedFrom(message, edited);
        moved = media.before(message);
      }
      boolean isTool = isRole(message, "tool") || isRole(message, "function");
      if (isBehindTool && !isTool && (!isAssistant || moved.isPresent())) {
        between().ifPresent(insertedBefore(k, inside));
      }
      moved.ifPresent(insertedBefore(k, inside));
      if (edited != null) {
        inside.replace(k, edited);
      }
      isBehindTool = isTool;
    }
    Optional<JsonBytes> last = media.atEnd();
    last.flatMap(_ -> between()).ifPresent(inside::insertLast);
    last.ifPresent(inside::insertLast);
    if (!inside.isUnchanged()) {
      edits.replace(i, inside);
    }
  }

  private static Consumer<JsonBytes> insertedBefore(int k, JsonSplice edits) {
    return message -> edits.insertBefore(k, message);
  }

  /** Returns what stands between the results of tools and a message that is not the assistant's. */
  private Optional<JsonBytes> between() {
    return quirks.userAfterTool() ? Optional.empty() : Optional.of(BETWEEN);
  }

  /**
   * Returns a system message with a schema that the server cannot enforce. Without it the model
   * would not know the schema, and some servers refuse to answer in JSON unless a message mentions
   * it.
   */
  private Optional<JsonBytes> schemaInstruction() {
    return ResponseFormat.of(chat)
        .filter(format -> format.type().equals("json_schema") && !quirks.jsonSchema())
        .map(AdaptedChat::instruction);
  }

  private static JsonBytes instruction(ResponseFormat format) {
    String text =
        format.hasSchema()
            ? "Answer with JSON that fits this schema: " + format.definition().text(format.schema())
            : "Answer with JSON.";
    return JsonBytes.raw("{\"role\":\"system\",\"content\":" + JsonBytes.string(text) + "}");
  }

  private static boolean isRole(JsonMembers message, String name) {
    return JsonReads.isString(message, "role", name);
  }

  private static boolean hasCalls(JsonMembers message) {
    int i = message.indexOf("tool_calls");
    return i >= 0 && message.kind(i) == JsonKind.ARRAY && !JsonReads.isEmpty(message, i);
  }

  private @Nullable JsonSplice message(
      JsonMembers message, boolean needsReasoning, boolean isBegun, Param path) {
    JsonSplice edits = JsonSplice.of(message);
    if (needsReasoning) {
      addReasoning(message, edits);
    }
    if (isBegun && message.indexOf("prefix") < 0 && !hasCalls(message)) {
      edits.insertLast("prefix", JsonBytes.TRUE); // else it is refused as the last message
    }
    for (int i = 0; i < message.size(); i++) {
      if (isRefused(message, i)) {
        drop(message, i, path, edits);
      } else if (!quirks.developerRole() && isRoleOfDeveloper(message, i)) {
        edits.replace(i, SYSTEM);
      } else {
        calls(message, i, edits);
      }
    }
    return edits.isUnchanged() ? null : edits;
  }

  private void drop(JsonMembers message, int i, Param path, JsonSplice edits) {
    edits.delete(i);
    if (message.isName(i, "refusal") && RefusalMember.isIn(message)) {
      RefusalMember.moveToContent(message, edits);
    } else if (hasEffect(message, i, "") && !message.isName(i, EXTRA)) {
      dropped.add(path.dot(message.name(i)));
    }
  }

  private static void addReasoning(JsonMembers message, JsonSplice edits) {
    int i = message.indexOf("reasoning_content");
    if (i < 0) {
      edits.insertLast("reasoning_content", NO_REASONING);
    } else if (message.kind(i) != JsonKind.STRING || message.isEmptyString(i)) {
      edits.replace(i, NO_REASONING);
    }
  }

  private boolean isRefused(JsonMembers message, int i) {
    if (message.isName(i, "name") && isRole(message, "function")) {
      return false; // it is the only link to the call
    }
    for (String name : quirks.droppedMessageFields()) {
      if (message.isName(i, name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isRoleOfDeveloper(JsonMembers message, int i) {
    return message.isName(i, "role") && message.isString(i, "developer");
  }

  // Tool calls

  private void calls(JsonMembers message, int i, JsonSplice edits) {
    boolean hasShortIds = quirks.callIds() == CallIds.NINE_ALPHANUMERIC;
    if (hasShortIds && message.isName(i, "tool_call_id") && message.kind(i) == JsonKind.STRING) {
      replaceId(message, i, edits);
    } else if (message.isName(i, "tool_calls") && message.kind(i) == JsonKind.ARRAY) {
      JsonElements calls = message.array(i);
      JsonSplice inside = JsonSplice.of(calls);
      for (int k = 0; k < calls.size(); k++) {
        if (calls.kind(k) == JsonKind.OBJECT) {
          call(calls, k, hasShortIds, inside);
        }
      }
      if (!inside.isUnchanged()) {
        edits.replace(i, inside);
      }
    }
  }

  private void call(JsonItems calls, int k, boolean hasShortIds, JsonSplice edits) {
    JsonMembers call = calls.object(k);
    JsonSplice inside = JsonSplice.of(call);
    for (int i = 0; i < call.size(); i++) {
      if (isRefused(call, i)) {
        inside.delete(i);
      } else if (hasShortIds && call.isName(i, "id") && call.kind(i) == JsonKind.STRING) {
        replaceId(call, i, inside);
      }
    }
    if (!inside.isUnchanged()) {
      edits.replace(k, inside);
    }
  }

  private static void replaceId(JsonMembers members, int i, JsonSplice edits) {
    String id = members.string(i);
    String short9 = ShortCallId.of(id);
    if (!short9.equals(id)) {
      edits.replace(i, JsonBytes.string(short9));
    }
  }
}
