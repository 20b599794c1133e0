package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Where the catalogue's client faults are held: none may be forgotten. */
@Tag("corpus")
class ClientFaultsTest {
  private static final Map<String, String> HELD =
      Map.ofEntries(
          Map.entry("C01", "pipeline: no request reaches the exchange"),
          Map.entry("C02", "ClientLeavesTest QUEUED, CONNECTING"),
          Map.entry("C03", "ClientLeavesTest WAITING_FOR_THE_HEAD, COLLECTING_A_PLAIN_REPLY"),
          Map.entry("C04", "ClientLeavesTest RELAYING and the drains"),
          Map.entry("C05", "ClientLeavesTest afterTheFinish…"),
          Map.entry("C06", "ClientLeavesTest aClientThatLeavesAfterTheEnd…"),
          Map.entry("C07", "pipeline: a half-close is told as ABORTED"),
          Map.entry("C08", "BackpressureTest; ClientLeavesTest STALL; the clock is the pipeline's"),
          Map.entry("C09", "BackpressureTest"),
          Map.entry("C10", "pipeline"),
          Map.entry("C11", "pipeline"),
          Map.entry("C12", "pipeline"),
          Map.entry("C13", "pipeline"),
          Map.entry("C14", "pipeline"),
          Map.entry("C15", "pipeline"),
          Map.entry("C16", "pipeline"),
          Map.entry("C17", "pipeline"),
          Map.entry("C18", "endpoint"),
          Map.entry("C19", "pipeline"),
          Map.entry("C20", "needs HTTP/2, which comes later"),
          Map.entry("C21", "needs HTTP/2, which comes later"),
          Map.entry("C22", "needs HTTP/2, which comes later"),
          Map.entry("C23", "needs HTTP/2, which comes later"),
          Map.entry("C24", "needs HTTP/2, which comes later"),
          Map.entry("C25", "the exchange never looks at the key again; tenant: revocation"),
          Map.entry("C26", "ClientRowsIT: it takes a balance that runs out"));

  @Test
  void everyClientRowHasItsPlace() {
    Set<String> rows =
        FaultRow.all().stream()
            .map(FaultRow::id)
            .filter(id -> id.startsWith("C"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(HELD.keySet()).isEqualTo(rows);
  }
}
