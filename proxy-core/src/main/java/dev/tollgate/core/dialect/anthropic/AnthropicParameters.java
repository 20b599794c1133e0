package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.AdaptedChat;
import dev.tollgate.core.dialect.ChatMembers;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.PricedOption;
import dev.tollgate.core.dialect.ResponseFormat;
import dev.tollgate.core.dialect.tool.SchemaReducer;
import dev.tollgate.core.dialect.tool.SchemaRules;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import java.util.Optional;

/** Writes the parameters of a chat request, all but the conversation, under Anthropic's names. */
final class AnthropicParameters {
  private static final long OUTPUT_TOKENS_USUAL = 4_096;
  private static final double TOP_P_WITH_REASONING_MIN = 0.95;

  private final JsonMembers chat;
  private final Route route;
  private final Model model;
  private final DroppedFields dropped;
  private final long outputMax;
  private final AnthropicThinking thinking;

  AnthropicParameters(JsonMembers chat, Route route, Model model, DroppedFields dropped) {
    this.chat = chat;
    this.route = route;
    this.model = model;
    this.dropped = dropped;
    this.outputMax = outputMax();
    this.thinking = AnthropicThinking.of(chat, route, model, outputMax, dropped);
  }

  /** True if the conversation may end with an answer that the model continues. */
  boolean takesPrefill() {
    return ClaudeVersion.takesPrefill(route.upstreamModel()) && !thinking.thinks();
  }

  void writeTo(JsonWriter out) {
    out.name("max_tokens").number(outputMax);
    if (JsonReads.find(chat, "stream", JsonKind.TRUE) >= 0) {
      out.name("stream").bool(true);
    }
    thinking.writeTo(out);
    outputConfig(out);
    sampling(out);
    stop(out);
    user(out);
    serviceTier(out);
    new AnthropicTools(chat, model.mayHave("json_schema"), dropped).writeTo(out);
    for (int i = 0; i < chat.size(); i++) {
      rest(i, out);
    }
  }

  /** Returns the bound of the answer, which Anthropic requires. */
  private long outputMax() {
    long requested = ChatMembers.outputTokensMax(chat, model, dropped);
    long otherwise = model.outputTokensMax() > 0 ? model.outputTokensMax() : OUTPUT_TOKENS_USUAL;
    return requested > 0 ? requested : otherwise;
  }

  private void outputConfig(JsonWriter out) {
    int own = JsonReads.find(chat, "output_config", JsonKind.OBJECT);
    Optional<JsonBytes> schema = schema(own >= 0);
    if (own >= 0) {
      out.name("output_config").raw(JsonBytes.of(chat, own));
      return;
    }
    if (schema.isEmpty() && thinking.effort().isEmpty()) {
      return;
    }
    out.name("output_config").beginObject();
    thinking.effort().ifPresent(effort -> out.name("effort").string(effort));
    schema.ifPresent(
        json ->
            out.name("format")
                .beginObject()
                .name("type")
                .string("json_schema")
                .name("schema")
                .raw(json)
                .endObject());
    out.endObject();
  }

  /** Returns the schema of the answer; Anthropic has no JSON mode without one. */
  private Optional<JsonBytes> schema(boolean overruled) {
    ResponseFormat format = ResponseFormat.of(chat).orElse(null);
    if (format == null) {
      return Optional.empty();
    }
    boolean isTaken = !overruled && format.hasSchema() && model.mayHave("json_schema");
    Optional<JsonBytes> schema =
        isTaken ? SchemaReducer.reduced(format, SchemaRules.CLAUDE, dropped) : Optional.empty();
    if (schema.isEmpty()) {
      dropped.add("response_format");
    }
    return schema;
  }

  private void sampling(JsonWriter out) {
    int temperature = JsonReads.find(chat, "temperature", JsonKind.NUMBER);
    int topP = JsonReads.find(chat, "top_p", JsonKind.NUMBER);
    int topK = JsonReads.find(chat, "top_k", JsonKind.NUMBER);
    if (!takesSampling() || thinking.thinks()) {
      dropUnlessUsual(temperature);
      boolean isTopPAllowed =
          takesSampling() && topP >= 0 && chat.number(topP) >= TOP_P_WITH_REASONING_MIN;
      if (isTopPAllowed) {
        copy(topP, out);
      } else {
        dropUnlessUsual(topP);
      }
      drop(topK);
      return;
    }
    if (topK >= 0 && chat.number(topK) >= 0) { // below 0, other servers take it as unlimited
      copy(topK, out);
    }
    if (temperature < 0) {
      copy(topP, out);
      return;
    }
    dropUnlessUsual(topP); // newer models accept only one of both
    if (chat.number(temperature) > 1) {
      drop(temperature);
      out.name("temperature").number(1);
    } else {
      copy(temperature, out);
    }
  }

  private boolean takesSampling() {
    return route.provider().quirks().sampling()
        && ClaudeVersion.takesSampling(route.upstreamModel());
  }

  private void copy(int i, JsonWriter out) {
    if (i >= 0) {
      out.name(chat.name(i)).raw(JsonBytes.normalized(chat, i));
    }
  }

  private void drop(int i) {
    if (i >= 0) {
      dropped.add(chat.name(i));
    }
  }

  private void dropUnlessUsual(int i) {
    if (i >= 0 && chat.number(i) != 1) {
      drop(i);
    }
  }

  private void stop(JsonWriter out) {
    int i = JsonReads.find(chat, "stop");
    if (i < 0) {
      return;
    }
    if (chat.kind(i) == JsonKind.STRING) {
      if (isStop(chat.string(i))) {
        out.name("stop_sequences").beginArray().raw(JsonBytes.of(chat, i)).endArray();
      }
      return;
    }
    JsonElements all = chat.array(i);
    if (all.size() == 0) {
      return;
    }
    out.name("stop_sequences").beginArray();
    for (int k = 0; k < all.size(); k++) {
      if (isStop(all.string(k))) {
        out.raw(JsonBytes.of(all, k));
      }
    }
    out.endArray();
  }

  /** True if Anthropic accepts a stop sequence: not white space alone. */
  private boolean isStop(String text) {
    boolean stops = !text.isBlank();
    if (!stops) {
      dropped.add("stop");
    }
    return stops;
  }

  private void user(JsonWriter out) {
    int metadata = JsonReads.find(chat, "metadata", JsonKind.OBJECT);
    JsonMembers own = metadata < 0 ? null : chat.object(metadata);
    int ownId = own == null ? -1 : JsonReads.findText(own, "user_id");
    if (own != null && own.size() > (ownId < 0 ? 0 : 1)) {
      dropped.add("metadata");
    }
    int user = JsonReads.findText(chat, "user");
    int id = user < 0 ? JsonReads.findText(chat, "safety_identifier") : user;
    if (own != null && ownId >= 0) {
      userId(own.string(ownId), out);
    } else if (id >= 0) {
      userId(chat.string(id), out);
    }
  }

  private static void userId(String id, JsonWriter out) {
    out.name("metadata").beginObject().name("user_id").string(OpaqueUserId.of(id)).endObject();
  }

  private void serviceTier(JsonWriter out) {
    int i = JsonReads.find(chat, "service_tier", JsonKind.STRING);
    if (i < 0) {
      return;
    }
    switch (chat.string(i)) {
      case "auto", "standard_only" -> copy(i, out);
      case "default" -> out.name("service_tier").string("standard_only");
      default -> drop(i);
    }
  }

  /**
   * Copies Anthropic's own members, and drops others that are not handled elsewhere and have an
   * effect.
   */
  private void rest(int i, JsonWriter out) {
    switch (chat.name(i)) {
      case "model",
          "messages",
          "stream",
          "stream_options",
          "routing",
          "provider",
          "n",
          "max_tokens",
          "max_completion_tokens",
          "thinking",
          "reasoning",
          "reasoning_effort",
          "output_config",
          "response_format",
          "temperature",
          "top_p",
          "top_k",
          "stop",
          "user",
          "safety_identifier",
          "metadata",
          "service_tier",
          "tools",
          "tool_choice",
          "parallel_tool_calls" -> {}
      case "cache_control", "context_management" -> {
        if (chat.kind(i) == JsonKind.OBJECT) {
          copy(i, out);
        }
      }
      default -> {
        if (isPricedAndAllowed(i)) {
          copy(i, out);
        } else if (AdaptedChat.hasEffect(chat, i, chat.name(i))) {
          drop(i);
        }
      }
    }
  }

  private boolean isPricedAndAllowed(int i) {
    return chat.kind(i) == JsonKind.STRING
        && PricedOption.OF_MESSAGES.contains(chat.name(i))
        && route.provider().quirks().rights().pricedOptions();
  }
}
