package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.acceptance.Load.Answer;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The database goes away under load and comes back. */
class DatabaseGoneIT {
  private static final Duration GONE = Duration.ofSeconds(3);
  private static final Duration CAUGHT_UP = Duration.ofSeconds(10);

  @Test
  void requestsGoOnFromLeasesAndTheBooksCatchUp() throws Exception {
    Folder database = Shared.node().home();
    try (DatabaseGate gate = DatabaseGate.to(database);
        Binary node = Shared.through(gate);
        Load load = Load.on(node, Shared.key(), "test/chat", 4)) {
      // Until it knows how fast money goes.
      awaitAnswer(load, Duration.ofSeconds(2), each -> each.status() == 200);
      long shutNanos = System.nanoTime();
      gate.shut();
      awaitAnswer(load, GONE, each -> each.status() == 200);
      assertThat(node.admin().get("/readyz").statusCode()).isEqualTo(200);
      assertThat(node.admin().total("tollgate_ledger_backlog")).isPositive();
      gate.open();
      long openNanos = System.nanoTime();
      load.end();
      node.admin().awaitBooked();
      assertThat(Duration.ofNanos(System.nanoTime() - openNanos)).isLessThan(CAUGHT_UP);

      List<Answer> meanwhile =
          load.answers().stream().filter(each -> each.askedNanos() > shutNanos).toList();
      long served = meanwhile.stream().filter(each -> each.status() == 200).count();
      Figures.keep("database-gone", served + " of " + meanwhile.size() + " served meanwhile");
      assertThat(served).isGreaterThanOrEqualTo(meanwhile.size() * 99L / 100).isPositive();
      Books.of(database).awaitAll(load.told());
    }
  }

  @Test
  void afterTheGraceRequestsAreRefusedUntilItIsBack() throws Exception {
    Folder database = Shared.node().home();
    try (DatabaseGate gate = DatabaseGate.to(database);
        Binary node = Shared.through(gate, "ledger.outage_grace=1s");
        Load load = Load.on(node, Shared.key(), "test/chat", 1)) {
      awaitAnswer(load, Duration.ZERO, each -> each.status() == 200);
      gate.shut();
      awaitAnswer(load, Duration.ofSeconds(1), each -> each.status() == 503);
      assertThat(node.admin().get("/readyz").statusCode()).isEqualTo(200);
      gate.open();
      awaitAnswer(load, Duration.ZERO, each -> each.status() == 200);
      load.end();

      assertThat(load.answers())
          .filteredOn(each -> each.status() != 200)
          .allSatisfy(each -> assertThat(each.code()).isEqualTo("service_unavailable"));
      node.admin().awaitBooked();
      Books.of(database).awaitAll(load.told());
    }
  }

  /** Waits for an answer of this kind to what is asked so long from now. */
  private static void awaitAnswer(Load load, Duration fromNow, Predicate<Answer> fits) {
    long sinceNanos = System.nanoTime() + fromNow.toNanos();
    long deadlineNanos = sinceNanos + Duration.ofSeconds(20).toNanos();
    while (load.answers().stream()
        .noneMatch(each -> each.askedNanos() - sinceNanos >= 0 && fits.test(each))) {
      assertThat(System.nanoTime()).as("in vain").isLessThan(deadlineNanos);
      Thread.onSpinWait();
    }
  }
}
