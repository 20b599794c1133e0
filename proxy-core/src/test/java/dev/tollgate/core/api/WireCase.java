package dev.tollgate.core.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.ReplayTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** One recorded call of the shared corpus: the reply, and the expected reading of it. */
public final class WireCase implements ReplayTable.Recorded {
  private static final String SUFFIX = ".meta.json";

  private final String name;
  private final JsonNode meta;
  private final byte[] response;

  private WireCase(String name, JsonNode meta, byte[] response) {
    this.name = name;
    this.meta = meta;
    this.response = response;
  }

  /** Returns the cases of a family in the order of their names. */
  public static List<WireCase> family(String family) {
    try (Stream<Path> files = Files.walk(Corpora.path("wire/fixtures"), 2)) {
      return files
          .filter(file -> file.toString().endsWith(SUFFIX))
          .sorted()
          .flatMap(file -> of(file, family).stream())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Optional<WireCase> of(Path file, String family) {
    JsonNode meta = ClientView.tree(new String(Corpora.bytes(file), StandardCharsets.UTF_8));
    if (!meta.path("family").asText().equals(family)) {
      return Optional.empty();
    }
    Path folder = file.resolveSibling("");
    String body = meta.path("response").path("body_file").asText("");
    String provider = folder.getFileName().toString();
    String title = provider + "/" + file.getFileName().toString().replace(SUFFIX, "");
    return Optional.of(
        new WireCase(
            title, meta, body.isEmpty() ? new byte[0] : Corpora.bytes(folder.resolve(body))));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String summary() {
    List<String> words = new ArrayList<>();
    words.add(isStream() ? "stream" : "reply");
    if (expect().has("error_in_stream")) {
      words.add("error");
    }
    JsonNode choice = expectedChoice();
    if (choice.path("finish").isTextual()) {
      words.add(choice.path("finish").asText());
    }
    int calls = choice.path("tool_calls").size();
    if (calls > 0) {
      words.add(calls + (calls == 1 ? " call" : " calls"));
    }
    JsonNode usage = expect().path("usage");
    if (usage.has("prompt_tokens")) {
      words.add(
          usage.path("prompt_tokens").asText()
              + " + "
              + usage.path("completion_tokens").asText("0")
              + " tokens");
    }
    JsonNode cost = expect().path("cost").path("cost_micro_exact");
    if (cost.isTextual()) {
      words.add(cost.asText() + " µUSD");
    }
    return String.join(", ", words);
  }

  public JsonNode meta() {
    return meta;
  }

  /** Returns the recorded bytes of the body. */
  public byte[] response() {
    return response;
  }

  /** Returns the request's bytes; empty if they were not recorded. */
  public byte[] request() {
    String file = meta.path("request").path("body_file").asText("");
    return file.isEmpty()
        ? new byte[0]
        : Corpora.bytes(Corpora.path("wire/fixtures").resolve(provider()).resolve(file));
  }

  public String provider() {
    return meta.path("provider").asText();
  }

  public int status() {
    return meta.path("response").path("status").intValue();
  }

  public boolean isStream() {
    return meta.path("response").path("streamed").booleanValue();
  }

  public JsonNode expect() {
    return meta.path("expect");
  }

  /** Returns the expected first choice. */
  public JsonNode expectedChoice() {
    return expect().path("choices").path(0);
  }

  @Override
  public String toString() {
    return name;
  }
}
