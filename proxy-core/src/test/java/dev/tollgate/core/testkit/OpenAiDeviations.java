package dev.tollgate.core.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.OpenAiDocument.Deviation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of the gateway's objects with OpenAI's document, less the deviations that a list has
 * with their reasons. It records which ones occurred.
 */
public final class OpenAiDeviations {
  private static final String LIST = "/openai-deviations.tsv";
  private static final int CELLS = 6;
  private static final Map<Deviation, Row> LISTED = listed();

  private final OpenAiDocument document;
  private final Set<Deviation> seen = new TreeSet<>();

  /** Origin of a deviation. */
  private enum Cause {
    /** The gateway's API says something else. */
    OURS,
    /** The document does not say what OpenAI itself answers. */
    DOCUMENT,
    /** An OpenAI-compatible provider answers so, and its reply is passed on. */
    PROVIDER
  }

  /** Tests that produce a deviation: the replays of recordings, or requests to the program. */
  public enum Source {
    REPLAY,
    PROGRAM
  }

  /** Whether the gateway passes an object on or writes it. */
  public enum Author {
    PROVIDER,
    GATEWAY
  }

  private record Row(Cause cause, Source source) {}

  public OpenAiDeviations(OpenAiDocument document) {
    this.document = document;
  }

  private static Map<Deviation, Row> listed() {
    Map<Deviation, Row> all = new TreeMap<>();
    lines().stream()
        .filter(line -> !line.startsWith("#") && !line.isBlank())
        .map(line -> line.split("\t", -1))
        .forEach(cells -> add(cells, all));
    return all;
  }

  private static void add(String[] cells, Map<Deviation, Row> to) {
    if (cells.length != CELLS || cells[CELLS - 1].isBlank()) {
      throw new AssertionError("not six cells with a reason at the end: " + List.of(cells));
    }
    var row = new Row(Cause.valueOf(upper(cells[0])), Source.valueOf(upper(cells[1])));
    for (String kind : cells[2].split(", ", -1)) {
      for (String path : cells[3].split(", ", -1)) {
        var deviation = new Deviation(kind, path, cells[4]);
        if (to.put(deviation, row) != null) {
          throw new AssertionError("twice in the list: " + deviation);
        }
      }
    }
  }

  private static String upper(String word) {
    return word.toUpperCase(Locale.ROOT);
  }

  private static List<String> lines() {
    try (InputStream list = OpenAiDeviations.class.getResourceAsStream(LIST)) {
      byte[] bytes = Objects.requireNonNull(list, LIST).readAllBytes();
      return new String(bytes, StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Compares an object with the schema of its kind. Returns the deviations that the list does not
   * have.
   */
  public synchronized Set<Deviation> compare(ObjectKind kind, JsonNode object, Author author) {
    Set<Deviation> unlisted = new TreeSet<>();
    for (Deviation one : document.deviations(kind, object)) {
      seen.add(one);
      if (!isListed(LISTED.get(one), author)) {
        unlisted.add(one);
      }
    }
    return unlisted;
  }

  private static boolean isListed(@Nullable Row row, Author author) {
    return row != null && (row.cause != Cause.PROVIDER || author == Author.PROVIDER);
  }

  /** Returns the deviations in the list that a source no longer produces. */
  public synchronized Set<Deviation> gone(Source source) {
    Set<Deviation> gone = new TreeSet<>();
    LISTED.forEach(
        (deviation, row) -> {
          if (row.source == source && !seen.contains(deviation)) {
            gone.add(deviation);
          }
        });
    return gone;
  }
}
