package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.OpenAiQuirks;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider.Quirks;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Chats as edited for servers that deviate from OpenAI: everything else stays byte for byte. */
class AdaptedChatTest {
  /** What a server gets, and what it does not. */
  private record Sent(String body, List<String> dropped) {}

  private static Sent sent(KnownServer server, String chat) throws InvalidJson {
    return sent(server.quirks(), server.prefill(), chat);
  }

  private static Sent sent(OpenAiQuirks server, Prefill prefill, String chat) throws InvalidJson {
    byte[] json = chat.getBytes(UTF_8);
    JsonMembers root = JsonMembers.of(json, 0, json.length);
    JsonSplice edits = JsonSplice.of(root);
    List<String> dropped =
        AdaptedChat.addEdits(
            edits, root, new Quirks(true, prefill, server), chat.contains("data:"));
    ByteBuf out = Unpooled.buffer();
    edits.writeTo(out);
    return new Sent(out.toString(UTF_8), dropped);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "MISTRAL | {\"max_completion_tokens\" : 9,\"x\":1} | {\"max_tokens\":9,\"x\":1} | -",
        "MISTRAL | {\"seed\":7, \"x\":1.0} | {\"random_seed\":7,\"x\":1.0} | -",
        "MISTRAL | {\"x\":1,\"user\":\"u\"} | {\"x\":1} | -",
        "MISTRAL | {\"logit_bias\":{},\"logprobs\":false,\"user\":null} | {} | -",
        "DEEPSEEK | {\"max_tokens\":5,\"max_completion_tokens\":9} | {\"max_tokens\":5}"
            + " | max_completion_tokens",
        "DEEPSEEK | {\"max_tokens\":null,\"max_completion_tokens\":9}"
            + " | {\"max_tokens\":9} | -",
        "DEEPSEEK | {\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{}}}"
            + " | {\"response_format\":{\"type\":\"json_object\"}} | response_format.json_schema",
        "DEEPSEEK | {\"response_format\": {\"type\": \"text\"}}"
            + " | {\"response_format\": {\"type\": \"text\"}} | -",
        "DEEPSEEK | {\"parallel_tool_calls\":true,\"seed\":0} | {} | seed",
        "DEEPSEEK | {\"parallel_tool_calls\":false} | {} | parallel_tool_calls",
        "CEREBRAS | {\"presence_penalty\":0.0,\"frequency_penalty\":0.1} | {} | frequency_penalty",
        "ZAI | {\"user\":\"u\"} | {\"user_id\":\"u\"} | -",
        "XAI | {\"presence_penalty\":0,\"frequency_penalty\":0.0,\"x\":1} | {\"x\":1} | -",
        "XAI | {\"presence_penalty\":0.5,\"x\":1} | {\"x\":1} | presence_penalty",
        "LLAMACPP | {\"max_completion_tokens\":9} | {\"max_tokens\":9} | -",
        "OPENROUTER | {\"seed\":1,\"user\":\"u\"} | {\"seed\":1,\"user\":\"u\"} | -"
      })
  void membersAreRenamedOrLeftOut(KnownServer server, String chat, String body, String dropped)
      throws InvalidJson {
    Sent sent = sent(server, chat);
    assertThat(sent.body()).isEqualTo(body);
    assertThat(sent.dropped()).isEqualTo(dropped == null ? List.of() : List.of(dropped));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "GROQ | {\"role\":\"developer\",\"content\":\"x\"} | {\"role\":\"system\",\"content\":\"x\"} | -",
        "XAI | {\"role\":\"developer\"} | {\"role\":\"developer\"} | -",
        "GROQ | {\"role\":\"assistant\",\"refusal\":null,\"annotations\":[]} | {\"role\":\"assistant\"}"
            + " | -",
        "GROQ | {\"name\":\"n\", \"role\":\"user\"} | {\"role\":\"user\"} | messages[0].name",
        "MISTRAL | {\"role\":\"assistant\",\"content\":null,\"refusal\":\"No.\"}"
            + " | {\"role\":\"assistant\",\"content\":\"No.\",\"prefix\":true} | -",
        "GROQ | {\"refusal\":\"No.\",\"role\":\"assistant\"}"
            + " | {\"content\":\"No.\",\"role\":\"assistant\"} | -",
        "FIREWORKS | {\"role\":\"assistant\",\"content\":\"a\",\"images\":[{}]}"
            + " | {\"role\":\"assistant\",\"content\":\"a\"} | messages[0].images",
        "MISTRAL | {\"role\":\"assistant\",\"content\":\"a\",\"extra_content\":{\"google\":1}}"
            + " | {\"role\":\"assistant\",\"content\":\"a\",\"prefix\":true} | -",
        "MISTRAL | {\"role\":\"assistant\",\"content\":\"a\",\"prefix\":false}"
            + " | {\"role\":\"assistant\",\"content\":\"a\",\"prefix\":false} | -",
        "CEREBRAS | {\"role\":\"assistant\",\"tool_calls\":[{\"extra_content\":{},\"id\":\"c\"}]}"
            + " | {\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\"}]} | -",
        "CEREBRAS | {\"role\":\"function\",\"name\":\"n\"}"
            + " | {\"role\":\"function\",\"name\":\"n\"} | -",
        "MISTRAL | {\"role\":\"tool\",\"tool_call_id\":\"abcDEF123\"}"
            + " | {\"role\":\"tool\",\"tool_call_id\":\"abcDEF123\"} | -"
      })
  void messagesAreTheServers(KnownServer server, String message, String body, String dropped)
      throws InvalidJson {
    Sent sent = sent(server, "{\"messages\":[" + message + "]}");
    assertThat(sent.body()).isEqualTo("{\"messages\":[" + body + "]}");
    assertThat(sent.dropped()).isEqualTo(dropped == null ? List.of() : List.of(dropped));
  }

  @ParameterizedTest
  @EnumSource(names = {"DEEPSEEK", "ZAI"})
  void aSchemaThatTheServerDoesNotTakeIsPutIntoThePrompt(KnownServer server) throws InvalidJson {
    String chat =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"response_format\":{\"type\":"
            + "\"json_schema\",\"json_schema\":{\"name\":\"n\",\"schema\":{\"type\": \"object\"}}}}";
    Sent sent = sent(server, chat);
    assertThat(sent.body())
        .isEqualTo(
            "{\"messages\":[{\"role\":\"system\",\"content\":\"Answer with JSON that fits this"
                + " schema: {\\\"type\\\": \\\"object\\\"}\"},{\"role\":\"user\",\"content\":\"x\"}],"
                + "\"response_format\":{\"type\":\"json_object\"}}");
    assertThat(sent.dropped()).containsExactly("response_format.json_schema");
    String plain = chat.replace("json_schema\",\"json_schema", "json_object\",\"x");
    assertThat(sent(server, plain).body()).isEqualTo(plain);
  }

  @Test
  void aResultStillFindsItsCallUnderAnIdThatMistralTakes() throws InvalidJson {
    String chat =
        "{\"messages\":[{\"tool_calls\":[{\"id\":\"call_0123456789\",\"type\":\"function\"},"
            + "{\"id\":\"call_other\"}]},{\"tool_call_id\":\"call_0123456789\"}]}";
    Sent sent = sent(KnownServer.MISTRAL, chat);
    String id = ShortCallId.of("call_0123456789");
    assertThat(id).matches("[a-zA-Z0-9]{9}").isNotEqualTo(ShortCallId.of("call_other"));
    assertThat(sent.body())
        .isEqualTo(
            chat.replace("call_0123456789", id)
                .replace("call_other", ShortCallId.of("call_other")));
    assertThat(sent.dropped()).isEmpty();
  }

  /**
   * U is the user, S the system, C a call, T its result, A an answer, R an answer with reasoning, N
   * one with an empty one, B what is sent between.
   */
  @ParameterizedTest
  @CsvSource({
    "MISTRAL, UCTU, UCTBU",
    "MISTRAL, UCTTS, UCTTBS",
    "MISTRAL, UCTAUCTU, UCTAUCTBU",
    "MISTRAL, UCTUCTU, UCTBUCTBU",
    "MISTRAL, UCTAU, UCTAU",
    "MISTRAL, UCT, UCT",
    "MISTRAL, UCTCT, UCTCT",
    "GROQ, UCTU, UCTU",
    "OPENROUTER, UCTU, UCTU",
    "DEEPSEEK, UCTU, UcTU",
    "DEEPSEEK, UCTAU, UcTnU",
    "DEEPSEEK, UCTNU, UcTnU",
    "DEEPSEEK, UCTRU, UcTRU",
    "DEEPSEEK, UAUA, UAUA",
  })
  void aHistoryOfAnotherServerIsOneThatThisServerTakes(
      KnownServer server, String history, String sent) throws InvalidJson {
    Sent got = sent(server, chat(history));
    assertThat(got.body()).isEqualTo(chat(sent));
    assertThat(got.dropped()).isEmpty();
  }

  private static String chat(String messages) {
    return messages
        .chars()
        .mapToObj(c -> message((char) c))
        .collect(Collectors.joining(",", "{\"messages\":[", "]}"));
  }

  private static String message(char kind) {
    String call =
        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"abcDEF123\","
            + "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]";
    String answer = "{\"role\":\"assistant\",\"content\":\"a\"";
    return switch (kind) {
      case 'U' -> "{\"role\":\"user\",\"content\":\"u\"}";
      case 'S' -> "{\"role\":\"system\",\"content\":\"s\"}";
      case 'C' -> call + "}";
      case 'c' -> call + ",\"reasoning_content\":\" \"}";
      case 'T' -> "{\"role\":\"tool\",\"tool_call_id\":\"abcDEF123\",\"content\":\"t\"}";
      case 'A' -> answer + "}";
      case 'N' -> answer + ",\"reasoning_content\":\"\"}";
      case 'n' -> answer + ",\"reasoning_content\":\" \"}";
      case 'R' -> answer + ",\"reasoning_content\":\"r\"}";
      case 'B' -> "{\"role\":\"assistant\",\"content\":\"OK.\"}";
      default -> throw new IllegalArgumentException("no message: " + kind);
    };
  }

  @ParameterizedTest
  @EnumSource
  void whatNoServerMindsIsNotTouched(KnownServer server) throws InvalidJson {
    String chat =
        "{ \"model\":\"m\",\"temperature\" : 1.00, \"max_tokens\":5,\"messages\":[ {\"role\":"
            + "\"system\",\"content\":\"\\u0041\"},{\"role\":\"user\",\"content\":[]} ],\"x\":{ } }";
    assertThat(sent(server, chat)).isEqualTo(new Sent(chat, List.of()));
  }

  @Test
  void aChatWithoutEndDropsPathsOnlyUpToABound() throws InvalidJson {
    String message = "{\"role\":\"user\",\"name\":\"n\"}";
    Sent sent =
        sent(KnownServer.GROQ, "{\"messages\":[" + (message + ",").repeat(99) + message + "]}");
    assertThat(sent.body()).doesNotContain("name");
    assertThat(sent.dropped()).hasSize(17).startsWith("messages[0].name").endsWith("+84");
  }

  @ParameterizedTest
  @EnumSource(KnownServer.class)
  void picturesOfResultsAreTheUsersBehindAllResults(KnownServer server) throws Exception {
    String picture = "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:x\"}}";
    String text = "{\"type\":\"text\",\"text\":\"a\"}";
    String result = "{\"role\":\"tool\",\"tool_call_id\":\"123456789\",\"content\":";
    String user = "{\"role\":\"user\",\"content\":";
    String between = server.quirks().userAfterTool() ? "" : message('B') + ",";
    assertThat(
            sent(
                    server,
                    "{\"messages\":["
                        + result
                        + ("[" + text + "," + picture + "]},")
                        + (result + "\"b\"},")
                        + (result + "[" + picture + "]},")
                        + (user + "[" + picture + "]},")
                        + (result + "[" + picture + "," + text + "]}]}"))
                .body())
        .isEqualTo(
            "{\"messages\":["
                + (result + "[" + text + "]},")
                + (result + "\"b\"},")
                + (result + "\"The result is in the next message.\"},")
                + between
                + (user + "[" + picture + "," + picture + "]},")
                + (user + "[" + picture + "]},")
                + (result + "[" + text + "]},")
                + between
                + (user + "[" + picture + "]}]}"));
  }

  @ParameterizedTest
  @EnumSource(KnownServer.class)
  void onlyTheAllowedToolsAreSentWhereAChoiceAmongThemIsRefused(KnownServer server)
      throws Exception {
    String chat =
        "{\"tools\":[%s],\"tool_choice\":%s}"
            .formatted(
                tool("a") + "," + tool("b"),
                "{\"type\":\"allowed_tools\",\"allowed_tools\":{\"mode\":\"required\",\"tools\":["
                    + tool("b")
                    + "]}}");
    String restricted = "{\"tools\":[%s],\"tool_choice\":\"required\"}".formatted(tool("b"));
    assertThat(sent(server, chat).body())
        .isEqualTo(
            switch (server) {
              case OPENROUTER, XAI -> chat;
              case PERPLEXITY -> "{}";
              case CEREBRAS,
                  DEEPSEEK,
                  FIREWORKS,
                  GROQ,
                  LLAMACPP,
                  MISTRAL,
                  TGI,
                  TOGETHER,
                  VLLM,
                  ZAI ->
                  restricted;
            });
  }

  private static String tool(String name) {
    return "{\"type\":\"function\",\"function\":{\"name\":\"" + name + "\"}}";
  }
}
