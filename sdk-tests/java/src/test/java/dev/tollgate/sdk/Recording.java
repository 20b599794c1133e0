package dev.tollgate.sdk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A recorded chat of a provider: a whole reply or a stream, in the provider's format, with the
 * first choice that is to be read from it; nothing is known of that for the project's own.
 */
record Recording(
    String name, String format, Path file, String type, boolean isStream, JsonNode expected) {
  /** The formats by the name that the shared recordings have for them. */
  private static final Map<String, String> FORMATS =
      Map.of(
          "openai-chat", "openai",
          "anthropic-messages", "anthropic",
          "bedrock-converse", "bedrock",
          "gemini", "gemini",
          "cohere-v2-chat", "cohere",
          "ollama-native", "ollama");

  /** An answer of another API of Ollama, for a prompt without a chat. */
  private static final String NO_CHAT = "native-generate";

  /** A server with OpenAI's format whose content has parts that its preset knows. */
  private static final String MISTRAL = "mistral";

  private static final String OWN_OF_MISTRAL = "own/thinking-in-arrays";

  private static final JsonNode NOTHING = Json.tree("{}");

  private static final String META = ".meta.json";

  /** The folder of the project's own recordings, all streams in OpenAI's format. */
  private static final Path OWN = Path.of("../../proxy-core/src/test/resources/wire/openai");

  @Override
  public String toString() {
    return name;
  }

  /** Returns the project's own recordings, and the shared ones if they are there. */
  static List<Recording> all() {
    return Stream.concat(own(), isSharedThere() ? shared() : Stream.of()).toList();
  }

  static boolean isSharedThere() {
    return Files.isDirectory(fixtures());
  }

  private static Path fixtures() {
    return Path.of(System.getProperty("tollgate.shared"), "wire/fixtures");
  }

  private static Stream<Recording> own() {
    return walked(OWN, "provider.sse")
        .map(
            file -> {
              String name = "own/" + file.getParent().getFileName();
              String format = name.equals(OWN_OF_MISTRAL) ? MISTRAL : "openai";
              return new Recording(name, format, file, "text/event-stream", true, NOTHING);
            });
  }

  private static Stream<Recording> shared() {
    return walked(fixtures(), META)
        .map(Recording::of)
        .filter(one -> !one.format.isEmpty() && !one.name.contains(NO_CHAT));
  }

  private static Stream<Path> walked(Path folder, String suffix) {
    try (Stream<Path> files = Files.walk(folder, 2)) {
      return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Recording of(Path file) {
    JsonNode meta = Json.tree(text(file));
    String provider = file.getParent().getFileName().toString();
    JsonNode response = meta.path("response");
    boolean isArray = meta.at("/wire/framing").asText().equals("json-array");
    boolean isStream = isArray || response.path("streamed").booleanValue();
    String family = FORMATS.getOrDefault(meta.path("family").asText(), "");
    String format = provider.equals(MISTRAL) && family.equals("openai") ? MISTRAL : family;
    return new Recording(
        provider + "/" + file.getFileName().toString().replace(META, ""),
        format,
        file.resolveSibling(response.path("body_file").asText()),
        isStream ? streamType(format) : "application/json",
        isStream,
        meta.at("/expect/choices/0"));
  }

  private static String streamType(String format) {
    return switch (format) {
      case "bedrock" -> "application/vnd.amazon.eventstream";
      case "ollama" -> "application/x-ndjson";
      default -> "text/event-stream";
    };
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the words that make the scripted provider play it. */
  String words() {
    return "replay " + file.toAbsolutePath().normalize() + " " + type;
  }

  /** Checks a text, which is recorded as it is, or by its digest if it is long. */
  void assertText(String text) {
    JsonNode recorded = expected.path("text");
    if (recorded.isTextual()) {
      assertThat(text).isEqualTo(recorded.textValue());
    } else if (recorded.isObject()) {
      assertThat(digest(text)).isEqualTo(recorded.path("sha256_utf8").textValue());
    }
  }

  private static String digest(String text) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /** Checks the names of the tools that are called. */
  void assertCalls(List<String> tools) {
    if (expected.has("tool_calls")) {
      assertThat(tools).isEqualTo(expected.path("tool_calls").findValuesAsText("name"));
    }
  }

  String model() {
    return "recordings/" + format;
  }
}
