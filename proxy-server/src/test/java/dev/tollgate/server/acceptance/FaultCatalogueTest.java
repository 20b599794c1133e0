package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.server.acceptance.FaultCase.Expected;
import dev.tollgate.server.acceptance.FaultCase.Usage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The expectations of tests match the fault catalogue, and every row has a test. */
@Tag("corpus")
class FaultCatalogueTest {
  private static final Set<String> HTTP2 =
      Set.of("U70", "U71", "U72", "C20", "C21", "C22", "C23", "C24");

  /**
   * Rows with more than one request, or with faults of clients and dependencies, and the tests that
   * play them.
   */
  private static final Map<String, List<String>> PLAYED =
      Map.ofEntries(
          Map.entry("FaultRowsIT", List.of("U06", "U74")),
          Map.entry(
              "ClientRowsIT",
              List.of(
                  "C01", "C02", "C03", "C04", "C05", "C06", "C07", "C08", "C09", "C10", "C11",
                  "C12", "C13", "C14", "C15", "C16", "C17", "C18", "C19", "C25", "C26")),
          Map.entry("RefusalsTest", List.of("D01")),
          Map.entry("DatabaseOutageIT", List.of("D02", "D03")),
          Map.entry("LimitsOnManyNodesIT", List.of("D04")),
          Map.entry("RedisFaultsIT", List.of("D05")),
          Map.entry("JournalFaultsTest", List.of("D06", "D07")),
          Map.entry("DirectMemoryIT", List.of("D12")),
          Map.entry("KillLoopIT", List.of("D08")),
          Map.entry("GracefulShutdownIT", List.of("D09")),
          Map.entry("ClockStepTest", List.of("D10")),
          Map.entry("LedgerClockTest", List.of("D10")),
          Map.entry("ServerIT", List.of("D11")));

  /** Rows that leave the code open, or name one for each case. */
  private static final Set<String> OPEN = Set.of("U21", "U26", "U28", "U32", "U73");

  private static final Pattern REFUSAL = Pattern.compile("(?:then |^)(\\d{3} \\w+)");
  private static final Pattern IN_STREAM = Pattern.compile("code=(\\w+)");

  private record Row(String id, String clientSees, String failover, String outcome) {
    String named(Pattern pattern) {
      Matcher matcher = pattern.matcher(clientSees);
      return matcher.find() ? matcher.group(1) : "";
    }
  }

  private static Map<String, Row> rows() {
    return Corpora.rows("data/streamfaults.tsv").stream()
        .map(cells -> new Row(cells[0], cells[3], cells[5], cells[6]))
        .collect(Collectors.toMap(Row::id, row -> row));
  }

  static Stream<FaultCase> plays() {
    return FaultCases.all().stream();
  }

  @Test
  void everyRowHasATest() throws IOException {
    Set<String> played = plays().map(FaultCase::row).collect(Collectors.toCollection(TreeSet::new));
    PLAYED.values().forEach(played::addAll);
    played.addAll(HTTP2);
    assertThat(played).isEqualTo(new TreeSet<>(rows().keySet()));
    assertThat(rows()).hasSize(99 + HTTP2.size());
    try (Stream<Path> files = Files.walk(Path.of(System.getProperty("tollgate.root")))) {
      List<Path> sources = files.filter(file -> file.toString().endsWith(".java")).toList();
      for (Map.Entry<String, List<String>> of : PLAYED.entrySet()) {
        assertThat(text(sources, of.getKey())).as(of.getKey()).contains(of.getValue());
      }
    }
  }

  /** Text of a test, which names the rows that it plays. */
  private static String text(List<Path> sources, String test) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Path source : sources) {
      if (source.endsWith(test + ".java")) {
        text.append(Files.readString(source));
      }
    }
    return text.toString();
  }

  @ParameterizedTest
  @MethodSource("plays")
  void expectationsMatchTheRow(FaultCase play) {
    Row row = Objects.requireNonNull(rows().get(play.row()), play.row());
    switch (play.expected()) {
      case Expected.Refused refused -> {
        if (!OPEN.contains(row.id()) && !row.id().equals("U75")) {
          assertThat(refused.status() + " " + refused.code())
              .as(row.clientSees())
              .isEqualTo(row.named(REFUSAL));
        }
      }
      case Expected.Broken broken -> {
        if (!row.named(IN_STREAM).isEmpty()) { // three bad events in a row: not a row of its own
          assertThat(broken.code()).isEqualTo(row.named(IN_STREAM));
        }
      }
      case Expected.Served served ->
          assertThat(row.outcome().contains("estimated") || row.id().equals("U73"))
              .as(row.outcome())
              .isEqualTo(served.usage() == Usage.ESTIMATED);
      case Expected.Recovered _ -> assertThat(row.outcome()).isEqualTo("ok");
    }
    if (!OPEN.contains(row.id()) && !Set.of("U13", "U16", "U75").contains(row.id())) {
      assertThat(play.failsOver()).as(row.failover()).isEqualTo(row.failover().startsWith("yes"));
    }
  }
}
