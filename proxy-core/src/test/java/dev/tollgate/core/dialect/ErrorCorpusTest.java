package dev.tollgate.core.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.testkit.Corpora;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every recorded refusal of an OpenAI-compatible provider, by the classes of wire FACTS 4. */
@Tag("corpus")
class ErrorCorpusTest {
  private static final Set<String> PROVIDERS =
      Set.of(
          "azure",
          "deepseek",
          "groq",
          "huggingface",
          "llamacpp",
          "mistral",
          "ollama",
          "openai",
          "openrouter",
          "perplexity",
          "together",
          "xai");

  /** What the status alone does not say. */
  private static final Map<String, Kind> BY_BODY =
      Map.ofEntries(
          Map.entry("bedrock/error-400--us-amazon-nova-2-lite-v1", Kind.CONTEXT_TOO_LONG),
          Map.entry("bedrock/error-403--us-amazon-nova-micro-v1", Kind.MODEL_MISSING),
          Map.entry("cohere/error-400--command-a-03-2025", Kind.CONTEXT_TOO_LONG),
          Map.entry("deepseek/error-400--deepseek-chat", Kind.CONTEXT_TOO_LONG),
          Map.entry("gemini/error-400--gemini-2-5-flash", Kind.CREDENTIAL_REFUSED),
          Map.entry("groq/error-400--llama-guard-3-8b", Kind.MODEL_MISSING),
          Map.entry("llamacpp/error--qwen3-1-7b-q4-k-m", Kind.CONTEXT_TOO_LONG),
          Map.entry("openai/error-400-context-length--gpt-5-nano", Kind.CONTEXT_TOO_LONG),
          Map.entry("openai/error-403-forbidden--text-embedding-3-large", Kind.MODEL_MISSING),
          Map.entry("openrouter/error-400--claude-haiku-4-5", Kind.CONTEXT_TOO_LONG),
          Map.entry("openrouter/error-403--grok-code-fast-1", Kind.CONTENT_FILTERED),
          Map.entry("vertex/error-400--gemini-2-5-flash", Kind.CONTEXT_TOO_LONG),
          Map.entry("xai/error--grok-4-3", Kind.CREDENTIAL_REFUSED));

  @Test
  void everyRecordedErrorIsOfItsClass() throws IOException {
    int cases = 0;
    for (String provider : PROVIDERS) {
      for (Path file : Corpora.files("wire/fixtures/" + provider)) {
        if (file.toString().endsWith(".meta.json")) {
          cases += check(provider, file) ? 1 : 0;
        }
      }
    }
    assertThat(cases).isGreaterThanOrEqualTo(38);
  }

  @ParameterizedTest
  @CsvSource({"anthropic, 6", "cohere, 3", "gemini, 4", "vertex, 3", "bedrock, 4"})
  void everyRecordedErrorOfAnotherDialectIsOfItsClass(String provider, int expected)
      throws IOException {
    int cases = 0;
    for (Path file : Corpora.files("wire/fixtures/" + provider)) {
      if (file.toString().endsWith(".meta.json")) {
        cases += check(provider, file) ? 1 : 0;
      }
    }
    assertThat(cases).isEqualTo(expected);
  }

  @Test
  void gemini429SaysItsWaitInItsBody() throws IOException {
    byte[] body =
        Corpora.bytes(
            Corpora.path("wire/fixtures/gemini/error-429--gemini-2-5-flash.response.json"));
    UpstreamFailure failure = Dialect.named("gemini").failure(429, Headers.of(), body, body.length);
    assertThat(failure.retryAfterSeconds()).isEqualTo(48);
    assertThat(failure.providerCode()).isEqualTo("RESOURCE_EXHAUSTED");
  }

  private static boolean check(String provider, Path file) throws IOException {
    JsonNode meta = new ObjectMapper().readTree(Corpora.bytes(file));
    if (!meta.path("family").asText().equals("error")) {
      return false;
    }
    String name = provider + "/" + meta.path("case").asText();
    JsonNode response = meta.path("response");
    byte[] body =
        response.path("body_file").isTextual()
            ? Corpora.bytes(file.resolveSibling(response.path("body_file").asText()))
            : new byte[0];
    int status = response.path("status").intValue();
    UpstreamFailure failure =
        Dialect.named(dialect(provider)).failure(status, headers(response), body, body.length);
    assertThat(failure.kind()).as(name).isEqualTo(BY_BODY.getOrDefault(name, ofStatus(status)));
    assertThat(failure.message().isEmpty()).as(name).isEqualTo(name.contains("html"));
    if (response.path("headers").has("retry-after")) {
      assertThat(failure.retryAfterSeconds())
          .as(name)
          .isEqualTo(response.path("headers").path("retry-after").asInt());
    }
    return true;
  }

  private static String dialect(String provider) {
    return switch (provider) {
      case "anthropic", "bedrock", "cohere", "gemini" -> provider;
      case "vertex" -> "gemini";
      default -> "openai";
    };
  }

  private static Kind ofStatus(int status) {
    return switch (status) {
      case 400, 422 -> Kind.REJECTED;
      case 401, 402, 403 -> Kind.CREDENTIAL_REFUSED;
      case 404 -> Kind.MODEL_MISSING;
      case 429 -> Kind.RATE_LIMITED;
      default -> Kind.SERVER_ERROR;
    };
  }

  private static Headers headers(JsonNode response) {
    List<String> lines = new ArrayList<>();
    response
        .path("headers")
        .properties()
        .forEach(
            field -> {
              lines.add(field.getKey());
              lines.add(field.getValue().asText());
            });
    return Headers.of(lines.toArray(String[]::new));
  }
}
