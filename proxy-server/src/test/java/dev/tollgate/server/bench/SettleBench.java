package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.server.explorer.RequestProjector;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.ledger.PostgresLedgerStore;
import dev.tollgate.server.postgres.session.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How many charges a second the books take from one node, with their rows in the request log:
 * batches as large as a backlog makes them, for one key, and spread over 500; the latter also while
 * the request view is being filled, turn and turn about.
 */
class SettleBench {
  private static final int ROUNDS = Integer.getInteger("bench.rounds", 8);
  private static final int BATCHES = Integer.getInteger("bench.batches", 10);
  private static final int BATCH = Integer.getInteger("bench.batch", 5_000);
  private static final Results RESULTS = Results.of("settle");

  @TempDir private Path folder = Path.of("");

  private final Semaphore steps = new Semaphore(0);
  private volatile boolean isViewPaused = true;

  @Test
  void chargesPerSecond() throws Exception {
    try (DataDirLock lock = DataDirLock.acquire(folder);
        Store store = Store.start(lock, StoreOptions.embedded(folder))) {
      Payers one = Payers.of(store, 1);
      Payers many = Payers.of(store, 500);
      PostgresLedgerStore ledgerStore = store.ledgerStore();
      LeaseHolder holder = ledgerStore.open(UUID.randomUUID(), UUID.randomUUID());
      List<Double> ofOne = new ArrayList<>();
      List<Double> ofMany = new ArrayList<>();
      List<Double> besideView = new ArrayList<>();
      RequestProjector.Sessions sessions = store.maintenanceSessions()::getConnection;
      try (Connection session = sessions.open();
          var view = RequestProjector.start(sessions, this::isViewPaused, new Metrics())) {
        for (int round = -2; round < ROUNDS; round++) { // the first ones warm up
          double a = perSecond(ledgerStore, holder, one);
          double b = perSecond(ledgerStore, holder, many);
          isViewPaused = false;
          awaitView(session);
          double c = perSecond(ledgerStore, holder, many);
          awaitView(session);
          isViewPaused = true;
          if (round >= 0) {
            ofOne.add(a);
            ofMany.add(b);
            besideView.add(c);
          }
        }
        assertThat(view).isNotNull();
      }
      print(one.name(), ofOne);
      print(many.name(), ofMany);
      print(many.name() + " beside the view", besideView);
      assertThat(store.ledgerAudit().run()).isEmpty();
    }
  }

  private boolean isViewPaused() {
    steps.release();
    return isViewPaused;
  }

  /** Waits until the view holds what was settled before. */
  private void awaitView(Connection session) throws Exception {
    Instant settled = Instant.now();
    while (viewedUpTo(session).isBefore(settled)) {
      steps.drainPermits();
      steps.acquire();
    }
  }

  private static Instant viewedUpTo(Connection session) throws SQLException {
    try (PreparedStatement select = session.prepareStatement("SELECT upto FROM request_view_mark");
        ResultSet row = select.executeQuery()) {
      row.next();
      return row.getObject(1, OffsetDateTime.class).toInstant();
    }
  }

  private static double perSecond(
      PostgresLedgerStore ledgerStore, LeaseHolder holder, Payers payers) throws Exception {
    List<List<Settlement>> batches = new ArrayList<>();
    for (int i = 0; i < BATCHES; i++) {
      batches.add(batch(payers));
    }
    long began = System.nanoTime();
    for (List<Settlement> batch : batches) {
      var _ = ledgerStore.settle(holder, batch);
    }
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    return BATCHES * BATCH / (took.toNanos() / 1e9);
  }

  private static List<Settlement> batch(Payers payers) {
    List<Settlement> batch = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      RequestId request = RequestId.at(System.currentTimeMillis());
      ApiKey key = payers.key(i);
      batch.add(
          new Settlement(
              request,
              key.org().id(),
              key.id(),
              1,
              new MicroUsd(900),
              new MicroUsd(420),
              new Tokens(1_000, 200, 0, 0, false),
              SettlementKind.COMPLETED,
              Payers.row(request)));
    }
    return batch;
  }

  private static void print(String what, List<Double> perSecond) throws IOException {
    perSecond.sort(null);
    String line =
        String.format(
            Locale.ROOT,
            "%s: median %.0f charges/s, from %.0f to %.0f, in batches of %d",
            what,
            perSecond.get(perSecond.size() / 2),
            perSecond.getFirst(),
            perSecond.getLast(),
            BATCH);
    RESULTS.print(line);
  }
}
