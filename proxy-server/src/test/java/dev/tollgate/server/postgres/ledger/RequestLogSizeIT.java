package dev.tollgate.server.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.exchange.frame.RefusalCount;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.server.postgres.TestLedgerStore;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The request log loses its oldest days while it is too large, and never the running one. */
@Execution(ExecutionMode.CONCURRENT)
class RequestLogSizeIT {
  private static final int ROWS = 400;

  private final LocalDate today = Window.at(System.currentTimeMillis()).day();
  private TestLedgerStore testStore;
  private OrgId org;
  private KeyId key;

  @BeforeEach
  void open() throws Exception {
    testStore = TestLedgerStore.open();
    testStore.setClock(at(today) + 1);
    org = testStore.newOrg();
    key = testStore.newKey(org);
  }

  @AfterEach
  void close() {
    testStore.close();
  }

  @Test
  void theOldestDaysGoUntilItIsSmallEnough() throws Exception {
    LocalDate first = today.minusDays(3);
    for (LocalDate day = first; !day.isAfter(today); day = day.plusDays(1)) {
      fill(day);
    }
    long all = days().requestLogBytes();
    long one = bytes(first);
    assertThat(one).as("a row is half a KiB, and its index").isGreaterThan(ROWS * 400L);

    assertThat(drop(all)).isEmpty();
    assertThat(drop(all - 1)).containsExactly(first);
    assertThat(days().requestLogBytes()).isEqualTo(all - one);
    assertThat(drop(all - one - bytes(first.plusDays(1)) - 1))
        .containsExactly(first.plusDays(1), first.plusDays(2));
    assertThat(rowsOf(today)).isEqualTo(ROWS);
  }

  @Test
  void theRunningDayAndDaysWithoutRowsAreNeverDropped() throws Exception {
    LocalDate yesterday = today.minusDays(1);
    fill(yesterday);
    fill(today);
    assertThat(drop(1)).containsExactly(yesterday);
    days().createAhead();
    assertThat(drop(1)).as("made again, and empty").isEmpty();
    assertThat(rowsOf(today)).isEqualTo(ROWS);
    fill(yesterday);
    assertThat(drop(1)).as("filled again").containsExactly(yesterday);
  }

  @Test
  void ofNodesThatDropAtOnceOneDropsADay() throws Exception {
    int days = 6;
    for (int i = 0; i <= days; i++) {
      fill(today.minusDays(i));
    }
    List<Callable<List<LocalDate>>> nodes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      nodes.add(() -> drop(1));
    }
    List<LocalDate> dropped = new ArrayList<>();
    try (var threads = Executors.newFixedThreadPool(nodes.size())) {
      for (var end : threads.invokeAll(nodes)) {
        dropped.addAll(end.get());
      }
    }
    dropped.addAll(drop(1));
    assertThat(dropped).doesNotHaveDuplicates().hasSize(days).doesNotContain(today);
  }

  @Test
  void aDayThatIsReadIsDroppedLater() throws Exception {
    LocalDate yesterday = today.minusDays(1);
    fill(yesterday);
    try (var reader = testStore.store().pool().getConnection();
        var select = reader.createStatement()) {
      reader.setAutoCommit(false);
      select.execute("SELECT count(*) FROM request_log");
      assertThatThrownBy(() -> drop(1)).hasMessageContaining("lock timeout");
      reader.rollback();
      reader.setAutoCommit(true);
    }
    assertThat(drop(1)).containsExactly(yesterday);
  }

  @Test
  void countsOfRefusalsGoWithTheirDay() throws Exception {
    LocalDate yesterday = today.minusDays(1);
    fill(yesterday);
    fill(today.minusDays(2));
    for (LocalDate day : List.of(today.minusDays(2), yesterday, today)) {
      long minute = RefusalCount.minuteOf(at(day));
      var count = new RefusalCount(minute, org, key, "key_revoked", 1);
      testStore.store().refusalCounts().add(List.of(count));
    }
    days().tidy();
    assertThat(counts()).isEqualTo(3);
    assertThat(drop(days().requestLogBytes() - 1)).hasSize(1);
    days().tidy();
    assertThat(counts()).isEqualTo(2);
    drop(1);
    days().tidy();
    assertThat(counts()).isEqualTo(1);
  }

  /** Drops days like a node, one after the other. */
  private List<LocalDate> drop(long bytesMax) throws SQLException {
    List<LocalDate> dropped = new ArrayList<>();
    for (var day = days().dropRequestsAbove(bytesMax);
        day.isPresent();
        day = days().dropRequestsAbove(bytesMax)) {
      dropped.add(day.get());
    }
    return dropped;
  }

  private static long at(LocalDate day) {
    return day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
  }

  private void fill(LocalDate day) throws Exception {
    testStore.execute("SELECT ledger_partition(?::date)", day.toString());
    testStore.execute(
        "INSERT INTO request_log (day, request_id, org_id, key_id, row)"
            + " SELECT ?::date, to_char(i, 'FM000000000000000000000000000000'), ?, ?,"
            + " '{\"a\": \"' || repeat('x', 500) || '\"}' FROM generate_series(1, ?) i",
        day.toString(),
        org.value(),
        key.value(),
        ROWS);
  }

  private long bytes(LocalDate day) throws Exception {
    return number("SELECT bytes FROM request_log_sizes() WHERE day = ?::date", day.toString());
  }

  private long rowsOf(LocalDate day) throws Exception {
    return number("SELECT count(*) FROM request_log WHERE day = ?::date", day.toString());
  }

  private long counts() throws Exception {
    return number("SELECT count(*) FROM refusal_count");
  }

  private long number(String sql, Object... parameters) throws Exception {
    return Long.parseLong(testStore.execute(sql, parameters).getFirst());
  }

  private LedgerPartitions days() {
    return testStore.store().ledgerPartitions();
  }
}
