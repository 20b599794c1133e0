package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.json.JsonBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The words of providers, each of its kind in the dialect that speaks it. */
class ProviderErrorsTest {
  private static final Path TABLE = Path.of("src/test/resources/provider-errors.tsv");
  private static final Set<Kind> OF_WORDS =
      EnumSet.of(
          Kind.CONTEXT_TOO_LONG,
          Kind.CREDENTIAL_REFUSED,
          Kind.MODEL_MISSING,
          Kind.CONTENT_FILTERED);

  /** An error of a provider. */
  record Told(Kind kind, String dialect, int status, String source, String code, String message) {
    private static Told of(String line) {
      String[] cells = line.split("\t", -1);
      assertThat(cells).as(line).hasSize(6).doesNotContain("");
      return new Told(
          Kind.valueOf(cells[0]),
          cells[1],
          Integer.parseInt(cells[2]),
          cells[3],
          cells[4],
          cells[5]);
    }

    private String codeJson() {
      return code.equals("-") ? "null" : JsonBytes.string(code).toString();
    }

    /** Returns the error as its dialect writes it, with other words. */
    String body(String words) {
      String text = JsonBytes.string(words).toString();
      return switch (dialect) {
        case "anthropic" ->
            "{\"type\":\"error\",\"error\":{\"type\":" + codeJson() + ",\"message\":" + text + "}}";
        case "bedrock" -> "{\"message\":" + text + "}";
        case "cohere" ->
            "{\"id\":\"x\",\"error_type\":" + codeJson() + ",\"message\":" + text + "}";
        case "gemini", "vertex-anthropic" ->
            "{\"error\":{\"code\":"
                + status
                + ",\"status\":"
                + codeJson()
                + ",\"message\":"
                + text
                + "}}";
        case "ollama" -> "{\"error\":" + text + "}";
        default -> "{\"error\":{\"code\":" + codeJson() + ",\"message\":" + text + "}}";
      };
    }

    Headers headers() {
      return dialect.equals("bedrock") && !code.equals("-")
          ? Headers.of("x-amzn-errortype", code)
          : Headers.EMPTY;
    }

    Kind kindOf(String words) {
      byte[] json = body(words).getBytes(UTF_8);
      return Dialects.named(dialect).failure(status, headers(), json, json.length).kind();
    }
  }

  static List<Told> all() {
    try {
      return Files.readAllLines(TABLE).stream().skip(2).map(Told::of).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Told> ofTheAccount() {
    return all().stream()
        .filter(one -> one.kind == Kind.CREDENTIAL_REFUSED && one.status == 400)
        .filter(
            one -> one.code.matches("-|invalid_request_error|invalid-argument|INVALID_ARGUMENT"))
        .toList();
  }

  @Test
  void aThirdOfTheWordsMustNotCount() {
    long others = all().stream().filter(one -> !OF_WORDS.contains(one.kind)).count();
    assertThat(all()).hasSizeGreaterThanOrEqualTo(150);
    assertThat(others * 3).isGreaterThanOrEqualTo(all().size());
  }

  @ParameterizedTest
  @MethodSource("all")
  void theWordsAreOfTheirKind(Told one) {
    assertThat(one.kindOf(one.message)).isEqualTo(one.kind);
    assertThat(one.kindOf(one.message.toUpperCase(Locale.ROOT))).isEqualTo(one.kind);
  }

  /** Otherwise a client could take a key from all others. */
  @ParameterizedTest
  @MethodSource("ofTheAccount")
  void wordsOfTheAccountThatAClientMayHaveWrittenDoNotCount(Told one) {
    for (String quoted :
        List.of(
            "'" + one.message + "' is not of type 'object'",
            "Invalid value: '" + one.message + "'. Supported values are: 'auto'.",
            "tools[0].function.name: " + one.message,
            "Error: \"" + one.message + "\" is no role",
            "Bad request: `" + one.message + "` cannot be used",
            "Error: '" + one.message.replace("'", "") + "' isn't a role",
            one.message + " is not a valid tool_choice")) {
      assertThat(one.kindOf(quoted)).as(quoted).isEqualTo(Kind.REJECTED);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Your account cannot use the role 'disabled'",
        "The account has no user named \\\"suspended",
        "The File billing is not in an ACTIVE state and usage is not allowed."
      })
  void wordsOfTheAccountThatAClientChoseDoNotCount(String message) {
    byte[] json =
        ("{\"error\":{\"message\":\"" + message + "\",\"status\":\"FAILED_PRECONDITION\"}}")
            .getBytes(UTF_8);
    for (String dialect : List.of("openai", "gemini")) {
      assertThat(Dialects.named(dialect).failure(400, Headers.EMPTY, json, json.length).kind())
          .isEqualTo(Kind.REJECTED);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tool_choice", "messages[0].content"})
  void wordsOfTheAccountAboutAFieldAreTheRequests(String param) {
    byte[] json =
        ("{\"error\":{\"message\":\"Your account is suspended\",\"param\":\"" + param + "\"}}")
            .getBytes(UTF_8);
    assertThat(Dialects.named("openai").failure(400, Headers.EMPTY, json, json.length).kind())
        .isEqualTo(Kind.REJECTED);
  }

  @Test
  void aModelThatTheAccountMayNotStreamIsNotTheRequestsFault() {
    byte[] json =
        ("{\"error\":{\"message\":\"Your organization must be verified to stream this model.\","
                + "\"type\":\"invalid_request_error\",\"param\":\"stream\","
                + "\"code\":\"unsupported_value\"}}")
            .getBytes(UTF_8);
    UpstreamFailure failure =
        Dialects.named("openai").failure(400, Headers.EMPTY, json, json.length);
    assertThat(failure.kind()).isEqualTo(Kind.MODEL_MISSING);
    assertThat(failure.canFallBack()).isTrue();
  }

  /** One word alone is not enough, whatever the kind. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "prompt",
        "input",
        "context",
        "tokens",
        "length",
        "exceeds",
        "maximum",
        "limit",
        "too long",
        "account",
        "billing",
        "model",
        "region",
        "credits",
        "balance",
        "quota",
        "organization"
      })
  void noWordCountsAlone(String word) {
    byte[] json = ("{\"error\":{\"message\":\"" + word + "\"}}").getBytes(UTF_8);
    for (int status : new int[] {400, 422}) {
      assertThat(Dialects.named("openai").failure(status, Headers.EMPTY, json, json.length).kind())
          .isEqualTo(Kind.REJECTED);
    }
  }
}
