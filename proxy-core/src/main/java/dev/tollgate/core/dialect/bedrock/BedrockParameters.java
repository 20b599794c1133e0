package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.AdaptedChat;
import dev.tollgate.core.dialect.ChatMembers;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.LazyArray;
import dev.tollgate.core.dialect.PricedOption;
import dev.tollgate.core.dialect.ResponseFormat;
import dev.tollgate.core.dialect.anthropic.ClaudeVersion;
import dev.tollgate.core.dialect.tool.SchemaReducer;
import dev.tollgate.core.dialect.tool.SchemaRules;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import java.util.List;
import java.util.Optional;

/**
 * Writes the parameters of a chat request, all but the conversation and the tools, under Converse's
 * names.
 */
final class BedrockParameters {
  private static final long OUTPUT_TOKENS_USUAL = 4_096;

  /** Converse's own members, which a client may send. */
  private static final List<String> OWN = List.of("requestMetadata", "promptVariables");

  private final JsonMembers chat;
  private final Route route;
  private final Model model;
  private final BedrockFamily family;
  private final DroppedFields dropped;
  private final long outputMax;
  private final BedrockThinking thinking;

  BedrockParameters(
      JsonMembers chat, Route route, Model model, BedrockFamily family, DroppedFields dropped) {
    this.chat = chat;
    this.route = route;
    this.model = model;
    this.family = family;
    this.dropped = dropped;
    this.outputMax = ChatMembers.outputTokensMax(chat, model, dropped);
    this.thinking =
        BedrockThinking.of(
            chat, route, model, family, outputMax > 0 ? outputMax : defaultOutputMax(), dropped);
  }

  /** True if the conversation may end with an answer that the model continues. */
  boolean takesPrefill() {
    return family != BedrockFamily.CLAUDE
        || (ClaudeVersion.takesPrefill(route.upstreamModel()) && !thinking.barsSampling());
  }

  void writeTo(JsonWriter out) {
    out.name("inferenceConfig").beginObject();
    if (outputMax > 0 || thinking.needsOutputMax()) {
      out.name("maxTokens").number(outputMax > 0 ? outputMax : defaultOutputMax());
    }
    sampling(out);
    stop(out);
    out.endObject();
    new BedrockExtras(chat, route, family, thinking, dropped).writeTo(out);
    format(out);
    tier(out);
    for (int i = 0; i < chat.size(); i++) {
      rest(i, out);
    }
  }

  private long defaultOutputMax() {
    return model.outputTokensMax() > 0 ? model.outputTokensMax() : OUTPUT_TOKENS_USUAL;
  }

  /**
   * Writes temperature and top_p: Claude accepts only one of both, and neither with reasoning; no
   * family accepts a temperature above 1.
   */
  private void sampling(JsonWriter out) {
    int temperature = JsonReads.find(chat, "temperature", JsonKind.NUMBER);
    int topP = JsonReads.find(chat, "top_p", JsonKind.NUMBER);
    boolean claude = family == BedrockFamily.CLAUDE;
    boolean takes =
        route.provider().quirks().sampling()
            && !thinking.barsSampling()
            && (!claude || ClaudeVersion.takesSampling(route.upstreamModel()));
    if (temperature >= 0 && takes && chat.number(temperature) <= 1) {
      out.name("temperature").raw(JsonBytes.of(chat, temperature));
    } else if (temperature >= 0 && takes) {
      dropped.add("temperature");
      out.name("temperature").number(1);
    } else {
      dropUnlessUsual(temperature);
    }
    if (topP >= 0 && takes && !(claude && temperature >= 0)) {
      out.name("topP").raw(JsonBytes.of(chat, topP));
    } else {
      dropUnlessUsual(topP);
    }
  }

  private void dropUnlessUsual(int i) {
    if (i >= 0 && chat.number(i) != 1) {
      dropped.add(chat.name(i));
    }
  }

  private void stop(JsonWriter out) {
    int i = JsonReads.find(chat, "stop");
    if (i < 0) {
      return;
    }
    var all = new LazyArray("stopSequences", out);
    if (chat.kind(i) == JsonKind.STRING) {
      stop(chat.string(i), all);
    } else {
      JsonElements texts = chat.array(i);
      for (int k = 0; k < texts.size(); k++) {
        stop(texts.string(k), all);
      }
    }
    all.end();
  }

  /** Writes a stop sequence; most models refuse white space alone. */
  private void stop(String text, LazyArray all) {
    if (text.isBlank()) {
      dropped.add("stop");
    } else {
      all.get().string(text);
    }
  }

  /** Writes the schema of the answer, as text; Converse has no JSON mode without one. */
  private void format(JsonWriter out) {
    ResponseFormat format = ResponseFormat.of(chat).orElse(null);
    if (format == null) {
      return;
    }
    Optional<JsonBytes> schema =
        format.hasSchema() && family.enforcesSchemas(route, model)
            ? SchemaReducer.reduced(format, SchemaRules.CLAUDE, dropped)
            : Optional.empty();
    if (schema.isEmpty()) {
      dropped.add("response_format");
      return;
    }
    out.name("outputConfig").beginObject().name("textFormat").beginObject();
    out.name("type").string("json_schema").name("structure").beginObject();
    out.name("jsonSchema").beginObject().name("schema");
    out.string(schema.get().toString());
    JsonReads.copyText(format.definition(), "name", "name", out);
    out.endObject().endObject().endObject().endObject();
  }

  private void tier(JsonWriter out) {
    int i = JsonReads.find(chat, "service_tier", JsonKind.STRING);
    if (i < 0 || chat.isString(i, "auto") || chat.isString(i, "default")) {
      return;
    }
    boolean isKnown = chat.isString(i, "priority") || chat.isString(i, "flex");
    if (isKnown && mayChoosePrices()) {
      out.name("serviceTier").beginObject().name("type").raw(JsonBytes.of(chat, i)).endObject();
    } else {
      dropped.add("service_tier");
    }
  }

  private boolean mayChoosePrices() {
    return route.provider().quirks().rights().pricedOptions();
  }

  /**
   * Copies Converse's own members, and drops others that are not handled elsewhere and have an
   * effect.
   */
  private void rest(int i, JsonWriter out) {
    String name = chat.name(i);
    switch (name) {
      case "temperature",
          "top_p",
          "top_k",
          "service_tier",
          "reasoning",
          "thinking",
          "additionalModelRequestFields" -> {}
      default -> {
        boolean isOwn =
            OWN.contains(name) || (PricedOption.OF_CONVERSE.contains(name) && mayChoosePrices());
        if (isOwn && chat.kind(i) != JsonKind.NULL) {
          out.name(name).raw(JsonBytes.normalized(chat, i));
        } else if (!ChatMembers.isHandled(name) && AdaptedChat.hasEffect(chat, i, name)) {
          dropped.add(name);
        }
      }
    }
  }
}
