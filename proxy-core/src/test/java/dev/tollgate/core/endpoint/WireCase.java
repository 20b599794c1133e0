package dev.tollgate.core.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.Corpora;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * One recorded call of the shared corpus: what was answered and what a reader should make of it.
 */
public final class WireCase {
  private static final String SUFFIX = ".meta.json";

  private final String name;
  private final JsonNode meta;
  private final byte[] response;

  private WireCase(String name, JsonNode meta, byte[] response) {
    this.name = name;
    this.meta = meta;
    this.response = response;
  }

  /** The cases of a family in the order of their names. */
  public static List<WireCase> family(String family) {
    try (Stream<Path> files = Files.walk(Corpora.path("wire/fixtures"), 2)) {
      return files
          .filter(file -> file.toString().endsWith(SUFFIX))
          .sorted()
          .map(WireCase::of)
          .filter(one -> one.meta.path("family").asText().equals(family))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static WireCase of(Path file) {
    JsonNode meta = ClientView.tree(new String(Corpora.bytes(file), StandardCharsets.UTF_8));
    Path folder = file.resolveSibling("");
    String body = meta.path("response").path("body_file").asText("");
    String provider = folder.getFileName().toString();
    String title = provider + "/" + file.getFileName().toString().replace(SUFFIX, "");
    return new WireCase(
        title, meta, body.isEmpty() ? new byte[0] : Corpora.bytes(folder.resolve(body)));
  }

  public String name() {
    return name;
  }

  public JsonNode meta() {
    return meta;
  }

  /** The body's bytes as they were recorded. */
  public byte[] response() {
    return response;
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

  /** Choice 0 as it should come out. */
  public JsonNode expectedChoice() {
    return expect().path("choices").path(0);
  }

  @Override
  public String toString() {
    return name;
  }
}
