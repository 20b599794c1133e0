package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** {@code docs/overload.md} says what is shed when, as it is. */
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
          case CALM, IDLE_CONNECTIONS, CONNECTIONS -> false;
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
                .map(signal -> "`" + signal.label() + "` | `" + name(signal.most()) + "`")
                .toList());
  }

  private static String name(LoadLevel level) {
    return level.name().toLowerCase(Locale.ROOT);
  }

  private static String percent(double share) {
    return Math.round(share * 100) + " %";
  }

  /** The cells of the table behind a marker comment, without head and rule. */
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
