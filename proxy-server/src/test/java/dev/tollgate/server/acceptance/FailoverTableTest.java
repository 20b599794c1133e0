package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The table of failover scenarios in {@code docs/routing.md} matches the tests. */
class FailoverTableTest {
  private static final String MARKER = "<!-- failover scenarios -->";

  @Test
  void theTableIsTheListOfTheSuite() throws IOException {
    Path docs = Path.of(System.getProperty("tollgate.root"), "docs/routing.md");
    List<String> table =
        Files.readAllLines(docs).stream()
            .dropWhile(line -> !line.equals(MARKER))
            .skip(1)
            .takeWhile(line -> line.startsWith("|"))
            .toList();
    assertThat(table).isEqualTo(rows());
  }

  private static List<String> rows() {
    List<String> rows = new ArrayList<>();
    rows.add("| scenario | what the provider does | result |");
    rows.add("|---|---|---|");
    for (FailoverScenario each : FailoverScenario.values()) {
      rows.add("| %s | %s | %s |".formatted(each, each.upstream(), each.result()));
    }
    return rows;
  }
}
