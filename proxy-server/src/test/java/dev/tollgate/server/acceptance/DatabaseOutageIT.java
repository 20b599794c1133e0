package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.server.acceptance.ClosedLoopLoad.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The database fails under load and returns: D02, D03. */
@Tag("chaos")
class DatabaseOutageIT {
  private static final Duration GONE =
      Duration.ofSeconds(Integer.getInteger("tollgate.database.gone", 3));
  private static final Duration BACK = Duration.ofSeconds(30);

  /** Ten thousand charges wait in memory at most, the others on the disk. */
  private static final long HEAP_MORE_MAX = 48 << 20;

  /** Level and component of a line, those apart that are about the machine's load. */
  private static final Pattern ABOUT_STORE =
      Pattern.compile("(?<=[+Z]\\S{0,6} )(?:WARN |ERROR|INFO ) (?!Load|LoopLag|Server)\\w+");

  private static final Duration CAUGHT_UP = Duration.ofSeconds(10);

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void requestsRunOnLeasesAndAreSettledAfterwards() throws Exception {
    NodeFolder database = SharedNode.node().home();
    try (DatabaseGate gate = DatabaseGate.to(database);
        GatewayProcess node = SharedNode.through(gate);
        ClosedLoopLoad load = ClosedLoopLoad.on(node, SharedNode.key(), "test/chat", 4)) {
      // Until the lease sizes match the rate of spending.
      load.await(200, Duration.ofSeconds(2));
      long balance = balance(node);
      long heap = node.liveHeapBytes();
      long shutNanos = System.nanoTime();
      gate.shut();
      load.await(200, GONE);
      double heapMore = node.liveHeapBytes() - heap;
      assertThat(node.admin().get("/readyz").statusCode()).isEqualTo(200);
      assertThat(node.admin().total("tollgate_ledger_backlog")).isPositive();
      assertThat(node.admin().total("tollgate_ledger_oldest_unsettled_seconds"))
          .isBetween(GONE.toMillis() / 2e3, GONE.toMillis() / 1e3 + 60);
      gate.open();
      long openNanos = System.nanoTime();
      load.end();
      node.admin().awaitBooked();
      assertThat(Duration.ofNanos(System.nanoTime() - openNanos)).isLessThan(CAUGHT_UP);

      List<Answer> meanwhile =
          load.answers().stream().filter(each -> each.askedNanos() > shutNanos).toList();
      long served = meanwhile.stream().filter(each -> each.status() == 200).count();
      long spent = meanwhile.stream().mapToLong(Answer::costMicro).sum();
      RecordedFigures.keep(
          "database-gone",
          "%d of %d served meanwhile and while it caught up, %.1f MiB of heap more at the end of %s; %d of %d micro-USD spent"
              .formatted(served, meanwhile.size(), heapMore / (1 << 20), GONE, spent, balance));
      assertThat(balance).as("what leases may be had of").isGreaterThan(10 * spent);
      assertThat(heapMore).isLessThan(HEAP_MORE_MAX);
      assertThat(served).isGreaterThanOrEqualTo(meanwhile.size() * 99L / 100).isPositive();
      LedgerDatabase.of(database).awaitAll(load.reportedCosts());
      requireALineForEachChange(node);
    }
  }

  /** Each component says once that the store is away, and once that it is back. */
  private static void requireALineForEachChange(GatewayProcess node) throws Exception {
    assertThat(node.err().await(line -> line.contains("charges wait no longer"), BACK)).isPresent();
    Map<String, Long> lines =
        node.err()
            .text()
            .lines()
            .map(ABOUT_STORE::matcher)
            .filter(Matcher::find)
            .collect(Collectors.groupingBy(Matcher::group, Collectors.counting()));
    assertThat(lines).containsKeys("WARN  SettlementWriter", "INFO  SettlementWriter");
    assertThat(lines).allSatisfy((_, count) -> assertThat(count).isOne());
  }

  private static long balance(GatewayProcess node) throws Exception {
    try (RawClient client = RawClient.connect(node.port())) {
      var credits =
          client.get("/v1/credits", ChatRequests.authorization(SharedNode.key())).readResponse();
      return Json.tree(credits.text()).path("balance_micro").asLong();
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void afterTheGraceRequestsAreRefusedUntilTheStoreReturns() throws Exception {
    NodeFolder database = SharedNode.node().home();
    try (DatabaseGate gate = DatabaseGate.to(database);
        GatewayProcess node = SharedNode.through(gate, "ledger.outage_grace=2s");
        ClosedLoopLoad load = ClosedLoopLoad.on(node, SharedNode.key(), "test/chat", 1)) {
      load.await(200, Duration.ZERO);
      gate.shut();
      load.await(503, Duration.ofSeconds(1));
      assertThat(node.admin().get("/readyz").statusCode()).isEqualTo(200);
      gate.open();
      load.await(200, Duration.ZERO);
      load.end();

      assertThat(load.answers())
          .filteredOn(each -> each.status() != 200)
          .allSatisfy(each -> assertThat(each.code()).isEqualTo("service_unavailable"));
      node.admin().awaitBooked();
      LedgerDatabase.of(database).awaitAll(load.reportedCosts());
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aCrashedEmbeddedDatabaseIsRestarted() throws Exception {
    ConfigBuilder setup =
        ConfigBuilder.empty().mock("mock").model("test/chat", "mock", "mock-chat?chunks=2");
    try (NodeFolder folder = NodeFolder.with(setup);
        GatewayProcess node = GatewayProcess.start(folder);
        ClosedLoopLoad load = ClosedLoopLoad.on(node, node.bootstrapKey(), "test/chat", 2)) {
      load.await(200, Duration.ofSeconds(2));
      folder.killPostmaster();
      assertThat(node.err().await(line -> line.contains("PostgreSQL runs again"), BACK))
          .isPresent();
      load.end();
      assertThat(load.answers()).allSatisfy(each -> assertThat(each.status()).isEqualTo(200));
      node.admin().awaitBooked();
      LedgerDatabase.of(folder).awaitAll(load.reportedCosts());
      LedgerDatabase.of(folder).requireAuditClean();
      assertThat(node.err().traces()).isEmpty();
    }
  }
}
