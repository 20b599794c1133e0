package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.catalog.OpenAiQuirks;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider.Quirks;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.testkit.ProviderSchema;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** Model of a provider that refuses requests as its provider is documented to do. */
enum RefusingProvider {
  OPENAI("openai", "gpt-5", (body, _) -> ChatRefusals.ofOpenAi(body)),
  AZURE("azure", "gpt-5", (body, _) -> ChatRefusals.ofOpenAi(body)),
  ANTHROPIC("anthropic", "claude-haiku-4-5", MessagesRefusals::of, ProviderSchema.ANTHROPIC),
  VERTEX_CLAUDE(
      "vertex-anthropic", "claude-sonnet-4-6", MessagesRefusals::of, ProviderSchema.ANTHROPIC),
  CONVERSE_CLAUDE(
      "bedrock",
      "us.anthropic.claude-sonnet-4-5-v1:0",
      ConverseRefusals::of,
      ProviderSchema.BEDROCK),
  CONVERSE_NOVA("bedrock", "amazon.nova-pro-v1:0", ConverseRefusals::of, ProviderSchema.BEDROCK),
  CONVERSE_OTHER(
      "bedrock", "openai.gpt-5.6-sol-v1:0", ConverseRefusals::of, ProviderSchema.BEDROCK),
  GEMINI(
      "gemini",
      "gemini-2.5-flash",
      GeminiRefusals::of,
      ProviderSchema.GEMINI,
      ProviderSchema.GEMINI_2_5),
  VERTEX("vertex", "gemini-3-flash-preview", GeminiRefusals::of, ProviderSchema.GEMINI),
  COHERE(
      "cohere",
      "command-a-vision-07-2025",
      (body, _) -> ChatRefusals.ofCohere(body),
      ProviderSchema.COHERE),
  OLLAMA("ollama", "qwen3-vl", (body, _) -> ChatRefusals.ofOllama(body), ProviderSchema.OLLAMA);

  private static final ObjectMapper MAPPER = new ObjectMapper();

  @SuppressWarnings("ImmutableEnumChecker") // a record of settings
  private final ConfiguredModel model;

  @SuppressWarnings("ImmutableEnumChecker") // without state
  private final BiFunction<JsonNode, String, List<String>> rules;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<ProviderSchema> schemas;

  RefusingProvider(
      String dialect,
      String model,
      BiFunction<JsonNode, String, List<String>> rules,
      ProviderSchema... schemas) {
    this.model = ConfiguredModel.of(dialect, model).atMost(32_000);
    this.rules = rules;
    this.schemas = List.of(schemas);
  }

  ConfiguredModel model() {
    return model;
  }

  /** True if it gets chats as clients send them. */
  boolean isOpenAis() {
    return this == OPENAI || this == AZURE;
  }

  /** What it gets of a chat, and what is named as dropped. */
  record Sent(String body, List<String> dropped) {}

  Sent sent(String chat) throws InvalidJson {
    if (!isOpenAis()) {
      TranslatedRequest sent = model.of(chat);
      return new Sent(sent.body().toString(UTF_8), sent.dropped());
    }
    byte[] json = chat.getBytes(UTF_8);
    JsonMembers root = JsonMembers.of(json, 0, json.length);
    JsonSplice edits = JsonSplice.of(root);
    List<String> dropped =
        AdaptedChat.addEdits(edits, root, new Quirks(true, Prefill.NONE, OpenAiQuirks.NONE), true);
    ByteBuf out = Unpooled.buffer();
    edits.writeTo(out);
    return new Sent(out.toString(UTF_8), dropped);
  }

  /** Returns its reasons to refuse a request; empty: it accepts the request. */
  List<String> refusals(String body) throws JsonProcessingException {
    List<String> all = new ArrayList<>(rules.apply(MAPPER.readTree(body), model.name()));
    schemas.forEach(schema -> all.addAll(schema.complaints(body)));
    return all;
  }
}
