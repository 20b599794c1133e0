package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** {@code docs/overload.md} matches the load levels, signals and bounds of the code. */
final class OverloadDocumentTest {
  private final List<String> lines = Files.readAllLines(document());

  OverloadDocumentTest() throws IOException {}

  @Test
  void everyLevelIsDocumentedWithItsShares() {
    List<String> documented =
        table("levels").stream()
            .map(row -> String.join(" | ", row.get(0), row.get(2), row.get(3)))
            .toList();

    assertThat(documented)
        .containsExactlyElementsOf(
            Arrays.stream(LoadLevel.values()).map(OverloadDocumentTest::row).toList());
  }

  private static String row(LoadLevel level) {
    boolean isOfRoom =
        switch (level) {
          case CALM, IDLE_CONNECTIONS, CONNECTIONS, STALLED_STREAMS -> false;
          case LOOKUPS, SUBMISSIONS, BATCH, ABOVE_SHARE, INTERACTIVE -> true;
        };
    return String.join(
        " | ",
        level.number() + " `" + name(level) + "`",
        level == LoadLevel.CALM ? "–" : percent(level.pressure()),
        isOfRoom ? percent(level.room()) : "–");
  }

  @Test
  void everySignalIsDocumentedWithWhatItMayCause() {
    List<String> documented =
        table("signals").stream().map(row -> row.get(0) + " | " + row.get(2)).toList();

    assertThat(documented)
        .containsExactlyElementsOf(
            Arrays.stream(LoadSignal.values())
                .map(signal -> "`" + signal.label() + "` | `" + name(signal.levelMax()) + "`")
                .toList());
  }

  @Test
  void everyBoundIsDocumentedAsItIs() throws IOException {
    JsonNode reference = reference();

    assertThat(table("bounds").stream().map(row -> row.subList(0, 5)).toList())
        .containsExactlyElementsOf(
            Arrays.stream(ResourceBound.values()).map(bound -> row(bound, reference)).toList());
  }

  private static List<String> row(ResourceBound bound, JsonNode reference) {
    boolean isFixed = Character.isDigit(bound.limit().charAt(0));
    return List.of(
        "`" + bound.name().toLowerCase(Locale.ROOT) + "`",
        isFixed ? "fixed" : "`" + bound.limit() + "`",
        isFixed ? bound.limit() : initial(reference, bound.limit()),
        "`" + bound.metric().metric() + "`",
        switch (bound.whenFull()) {
          case ResourceBound.WhenFull.Refused refused ->
              refused.code().status() + " `" + refused.code().wire() + "`";
          case ResourceBound.WhenFull.Effect fate -> fate.text();
        });
  }

  /** Returns the default of a key, which must exist; {@code *} stands for any name. */
  private static String initial(JsonNode reference, String key) {
    JsonNode at = reference;
    for (String part : key.split("\\.", -1)) {
      at = part.equals("*") ? at.iterator().next() : at.get(part);
      assertThat(at).as(key).isNotNull();
    }
    return at.asText();
  }

  private static JsonNode reference() throws IOException {
    Path file = Path.of(System.getProperty("tollgate.root", ".."), "config", "reference.yaml");
    return new YAMLMapper().readTree(file.toFile());
  }

  private static String name(LoadLevel level) {
    return level.name().toLowerCase(Locale.ROOT);
  }

  private static String percent(double share) {
    return Math.round(share * 100) + " %";
  }

  /** Returns the cells of the table behind a marker comment, without head and rule. */
  private List<List<String>> table(String marker) {
    int start = lines.indexOf("<!-- " + marker + " -->");
    assertThat(start).as("marker %s", marker).isNotNegative();
    return lines.stream()
        .skip(start + 3L)
        .takeWhile(line -> line.startsWith("|"))
        .map(line -> Arrays.stream(line.substring(1).split("\\|")).map(String::strip).toList())
        .toList();
  }

  private static Path document() {
    return Path.of(System.getProperty("tollgate.root", ".."), "docs", "overload.md");
  }
}
