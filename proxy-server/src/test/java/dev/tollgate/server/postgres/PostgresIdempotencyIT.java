package dev.tollgate.server.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.claim.Claim;
import dev.tollgate.core.claim.Idempotency;
import dev.tollgate.core.claim.Idempotency.Answer;
import dev.tollgate.core.exchange.Offload;
import dev.tollgate.core.testkit.IdempotencyContract;
import io.netty.util.concurrent.EventExecutor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Submissions in PostgreSQL keep the contract, and have one winner whoever comes at once. */
class PostgresIdempotencyIT extends IdempotencyContract {
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static StoreOptions database;

  private Store store;
  private PostgresIdempotency first;
  private PostgresIdempotency second;
  private boolean firstLives = true;

  /** Whoever asks waits. */
  private static final class AtOnce implements Offload {
    @Override
    public <T> void run(
        EventExecutor caller, long deadlineNanos, Callable<T> work, Consumer<Outcome<T>> whenDone) {
      Outcome<T> outcome;
      try {
        outcome = new Outcome.Done<>(work.call());
      } catch (Exception e) {
        outcome = new Outcome.Failed<>(e);
      }
      whenDone.accept(outcome);
    }
  }

  @BeforeAll
  static void make() throws Exception {
    database = SharedPostgres.newDatabase();
  }

  @BeforeEach
  void open() throws Exception {
    store = SharedPostgres.open(database);
    first = store.idempotency(new AtOnce(), LEASE, Duration.ofHours(24));
    second = store.idempotency(new AtOnce(), LEASE, Duration.ofHours(24));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Override
  protected Idempotency first() {
    return first;
  }

  @Override
  protected Idempotency second() {
    return second;
  }

  @Override
  protected void crash() {
    firstLives = false;
  }

  @Override
  protected void passLease() {
    change("UPDATE idempotency SET lease_until = lease_until - interval '1 minute 1 second'");
    try {
      second.renew();
      if (firstLives) {
        first.renew();
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  protected void passDay() {
    change("UPDATE idempotency SET expires_at = expires_at - interval '24 hours 1 second'");
  }

  @Override
  protected void takeAway() {
    store.close();
  }

  @Test
  void ofAllWhoComeAtOnceOneWins() throws Exception {
    List<Future<Answer>> asked = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < 100; i++) {
        Idempotency node = i % 2 == 0 ? first : second;
        asked.add(threads.submit(() -> ask(node, "race", "body")));
      }
    }
    int winners = 0;
    for (Future<Answer> each : asked) {
      switch (each.get()) {
        case Answer.Claimed _ -> winners++;
        case Answer.Running _ -> {}
        case Answer other -> throw new AssertionError("not claimed and not running but " + other);
      }
    }
    assertThat(winners).isOne();
  }

  /** The same when a lease ran out: there is no moment in which two could take the key over. */
  @Test
  void whatRanOutHasOneWinnerToo() throws Exception {
    var _ = claimed(first, "again", "body");
    crash();
    passLease();
    List<Future<Answer>> asked = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < 50; i++) {
        asked.add(threads.submit(() -> ask(second, "again", "body")));
      }
    }
    int winners = 0;
    for (Future<Answer> each : asked) {
      winners += each.get() instanceof Answer.Claimed ? 1 : 0;
    }
    assertThat(winners).isOne();
  }

  @Test
  void whatExpiredGoesInPortionsAndWhatRunsStays() throws Exception {
    for (int i = 0; i < 5; i++) {
      Claim claim = claimed(first, "old" + i, "body");
      dispatch(claim);
      complete(claim, reply(200, "made"));
    }
    Claim runs = claimed(first, "runs", "body");
    passDay();
    first.renew();
    int before = rows();

    assertThat(tidied(2)).isEqualTo(2);
    assertThat(store.expiredSubmissions().forget()).isGreaterThanOrEqualTo(3);
    assertThat(rows()).isLessThanOrEqualTo(before - 5);
    assertThat(ask(second, "runs", "body")).isInstanceOf(Answer.Running.class);
    runs.free(() -> {});
  }

  /** A row that is locked is one that somebody wrote, and the write is waited for. */
  @Test
  void whoIsOnlyToldSomethingWaitsForNobody() throws Exception {
    Claim done = claimed(first, "told", "body");
    dispatch(done);
    complete(done, reply(200, "made"));
    Claim runs = claimed(first, "running", "body");
    try (Connection other = store.pool().getConnection();
        Statement lock = other.createStatement()) {
      other.setAutoCommit(false);
      lock.execute("SELECT * FROM idempotency FOR UPDATE");
      assertThat(replayed(second, "told", "body").status()).isEqualTo(200);
      assertThat(ask(second, "told", "other")).isInstanceOf(Answer.Conflict.class);
      assertThat(ask(second, "running", "body")).isInstanceOf(Answer.Running.class);
      other.rollback();
      other.setAutoCommit(true);
    }
    runs.free(() -> {});
  }

  @Test
  void whatIsStoredIsCounted() {
    Claim claim = claimed(first, "counted", "body");
    assertThat(first.running()).isOne();
    dispatch(claim);
    complete(claim, reply(200, "made"));
    assertThat(first.running()).isZero();
    assertThat(first.storedBytes()).isEqualTo("made".getBytes(UTF_8).length);
    assertThat(first.notStored()).isZero();
  }

  private int rows() throws SQLException {
    return number("SELECT count(*) FROM idempotency");
  }

  private int tidied(int most) throws SQLException {
    return number("SELECT idempotency_tidy(" + most + ")");
  }

  private int number(String sql) throws SQLException {
    try (Connection connection = store.pool().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    }
  }

  private void change(String sql) {
    try (Connection connection = store.pool().getConnection();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
