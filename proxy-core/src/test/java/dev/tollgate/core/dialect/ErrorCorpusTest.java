package dev.tollgate.core.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.ReplayTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every recorded refusal, by its class. */
@Tag("corpus")
@ExtendWith(ReplayTable.class)
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

  /** A recorded refusal. */
  record Refused(String name, JsonNode meta, Path file) implements ReplayTable.Recorded {
    static List<Refused> by(String provider) {
      return Corpora.files("wire/fixtures/" + provider).stream()
          .filter(file -> file.toString().endsWith(".meta.json"))
          .map(file -> of(provider, file))
          .filter(one -> one.meta.path("family").asText().equals("error"))
          .toList();
    }

    private static Refused of(String provider, Path file) {
      JsonNode meta = read(file);
      return new Refused(provider + "/" + meta.path("case").asText(), meta, file);
    }

    private static JsonNode read(Path file) {
      try {
        return new ObjectMapper().readTree(Corpora.bytes(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    String provider() {
      return name.substring(0, name.indexOf('/'));
    }

    byte[] body() {
      JsonNode body = meta.path("response").path("body_file");
      return body.isTextual() ? Corpora.bytes(file.resolveSibling(body.asText())) : new byte[0];
    }

    int status() {
      return meta.path("response").path("status").intValue();
    }

    Kind kind() {
      return BY_BODY.getOrDefault(name, ofStatus(status()));
    }

    @Override
    public String summary() {
      return status() + ", " + kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static List<Refused> refusals() {
    return Stream.concat(
            PROVIDERS.stream(), Stream.of("anthropic", "cohere", "gemini", "vertex", "bedrock"))
        .flatMap(provider -> Refused.by(provider).stream())
        .toList();
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(refusals()).hasSizeGreaterThanOrEqualTo(58);
    assertThat(Refused.by("anthropic")).hasSize(6);
    assertThat(Refused.by("cohere")).hasSize(3);
    assertThat(Refused.by("gemini")).hasSize(4);
    assertThat(Refused.by("vertex")).hasSize(3);
    assertThat(Refused.by("bedrock")).hasSize(4);
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void anErrorIsOfItsClass(Refused one) {
    JsonNode response = one.meta().path("response");
    byte[] body = one.body();
    UpstreamFailure failure =
        Dialects.named(dialect(one.provider()))
            .failure(one.status(), headers(response), body, body.length);
    assertThat(failure.kind()).isEqualTo(one.kind());
    assertThat(failure.message().isEmpty()).isEqualTo(one.name().contains("html"));
    if (response.path("headers").has("retry-after")) {
      assertThat(failure.retryAfterSeconds())
          .isEqualTo(response.path("headers").path("retry-after").asInt());
    }
  }

  @Test
  void gemini429SaysItsWaitInItsBody() throws IOException {
    byte[] body =
        Corpora.bytes(
            Corpora.path("wire/fixtures/gemini/error-429--gemini-2-5-flash.response.json"));
    UpstreamFailure failure =
        Dialects.named("gemini").failure(429, Headers.of(), body, body.length);
    assertThat(failure.retryAfterSeconds()).isEqualTo(48);
    assertThat(failure.providerCode()).isEqualTo("RESOURCE_EXHAUSTED");
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
