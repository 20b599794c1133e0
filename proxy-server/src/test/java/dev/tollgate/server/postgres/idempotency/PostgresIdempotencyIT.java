package dev.tollgate.server.postgres.idempotency;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.idempotency.Claim;
import dev.tollgate.core.idempotency.IdempotencyStore;
import dev.tollgate.core.idempotency.IdempotencyStore.ClaimResult;
import dev.tollgate.core.idempotency.StoredReply;
import dev.tollgate.core.testkit.IdempotencyContract;
import dev.tollgate.server.postgres.SharedPostgres;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.SynchronousOffload;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.settings.ServerSettings;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Submissions in PostgreSQL fulfil the contract, and concurrent claims have one winner. */
@Execution(ExecutionMode.CONCURRENT)
class PostgresIdempotencyIT extends IdempotencyContract {
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final int ORG_CLAIMS_MAX = 128;
  private static final ServerSettings.Idempotency SETTINGS =
      new ServerSettings.Idempotency(
          LEASE, Duration.ofHours(24), 1 << 20, 2, ORG_CLAIMS_MAX, 1 << 30);
  private static StoreOptions database;

  private Store store;
  private PostgresIdempotency first;
  private PostgresIdempotency second;
  private boolean firstLives = true;

  @BeforeAll
  static void make() throws Exception {
    database = SharedPostgres.newDatabase();
  }

  @BeforeEach
  void open() throws Exception {
    store = SharedPostgres.open(database);
    first = store.idempotency(new SynchronousOffload(), SETTINGS);
    second = store.idempotency(new SynchronousOffload(), SETTINGS);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Override
  protected IdempotencyStore first() {
    return first;
  }

  @Override
  protected IdempotencyStore second() {
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
  protected void makeUnavailable() {
    store.close();
  }

  @Test
  void ofAllWhoComeAtOnceOneWins() throws Exception {
    List<Future<ClaimResult>> asked = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < 100; i++) {
        IdempotencyStore node = i % 2 == 0 ? first : second;
        asked.add(threads.submit(() -> ask(node, "race", "body")));
      }
    }
    int winners = 0;
    for (Future<ClaimResult> each : asked) {
      switch (each.get()) {
        case ClaimResult.Claimed _ -> winners++;
        case ClaimResult.Running _ -> {}
        case ClaimResult other ->
            throw new AssertionError("not claimed and not running but " + other);
      }
    }
    assertThat(winners).isOne();
  }

  /** An expired lease has one winner too: at no moment could two claims take the key over. */
  @Test
  void whatRanOutHasOneWinnerToo() throws Exception {
    var _ = claimed(first, "again", "body");
    crash();
    passLease();
    List<Future<ClaimResult>> asked = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < 50; i++) {
        asked.add(threads.submit(() -> ask(second, "again", "body")));
      }
    }
    int winners = 0;
    for (Future<ClaimResult> each : asked) {
      winners += each.get() instanceof ClaimResult.Claimed ? 1 : 0;
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
    assertThat(store.expiredSubmissions().deleteExpired()).isGreaterThanOrEqualTo(3);
    assertThat(rows()).isLessThanOrEqualTo(before - 5);
    assertThat(ask(second, "runs", "body")).isInstanceOf(ClaimResult.Running.class);
    runs.free(() -> {});
  }

  /** A locked row is being written by another claim, whose write is waited for. */
  @Test
  void aReadOfAClaimWaitsForNoWriter() throws Exception {
    Claim done = claimed(first, "told", "body");
    dispatch(done);
    complete(done, reply(200, "made"));
    Claim runs = claimed(first, "running", "body");
    try (Connection other = store.pool().getConnection();
        Statement lock = other.createStatement()) {
      other.setAutoCommit(false);
      lock.execute("SELECT * FROM idempotency FOR UPDATE");
      assertThat(replayed(second, "told", "body").status()).isEqualTo(200);
      assertThat(ask(second, "told", "other")).isInstanceOf(ClaimResult.Conflict.class);
      assertThat(ask(second, "running", "body")).isInstanceOf(ClaimResult.Running.class);
      other.rollback();
      other.setAutoCommit(true);
    }
    runs.free(() -> {});
  }

  @Test
  void whoSubmitsTakesNoConnectionFromOthersAndOthersNoneFromThem() throws Exception {
    List<Connection> all = new ArrayList<>();
    try {
      for (int i = 0; i < database.poolMax(); i++) {
        all.add(store.pool().getConnection());
      }
      claimed(first, "beside", "body").free(() -> {});
    } finally {
      for (Connection each : all) {
        each.close();
      }
    }
  }

  /** Offload whose work waits until the test runs it. */
  private static final class Waiting implements Offload {
    private final List<Runnable> tasks = new ArrayList<>();

    @Override
    public <T> void run(
        EventExecutor caller, long deadlineNanos, Callable<T> work, Consumer<Outcome<T>> whenDone) {
      tasks.add(() -> new SynchronousOffload().run(caller, deadlineNanos, work, whenDone));
    }
  }

  @Test
  void anOrganizationThatAsksTooMuchAtOnceWaitsForItself() {
    var waiting = new Waiting();
    PostgresIdempotency node = store.idempotency(waiting, SETTINGS);
    List<ClaimResult> answers = new ArrayList<>();
    for (int i = 0; i < ORG_CLAIMS_MAX; i++) {
      ask(node, "crowd" + i, "body", answers::add);
    }
    assertThat(answers).isEmpty();
    ask(node, "one too many", "body", answers::add);
    assertThat(answers).containsExactly(new ClaimResult.TooManyPending());
    ask(node, new OrgId(UUID.randomUUID()), "crowd", "body", answers::add);
    assertThat(answers).hasSize(1);
    assertThat(node.claims()).containsEntry(List.of("crowded"), 1L);

    waiting.tasks.removeFirst().run();
    assertThat(answers.getLast()).isInstanceOf(ClaimResult.Claimed.class);
    ask(node, "after one was answered", "body", answers::add);
    assertThat(answers).hasSize(2);
    waiting.tasks.forEach(Runnable::run);
    for (ClaimResult answer : answers) {
      if (answer instanceof ClaimResult.Claimed(Claim claim)) {
        waiting.tasks.clear();
        claim.free(() -> {});
        waiting.tasks.forEach(Runnable::run);
      }
    }
  }

  /** Pool that a test takes down and brings back. */
  private final class Away {
    boolean isAway;

    PostgresIdempotency node() {
      DataSource pool =
          (DataSource)
              Proxy.newProxyInstance(
                  Away.class.getClassLoader(),
                  new Class<?>[] {DataSource.class},
                  (_, _, _) -> {
                    if (isAway) {
                      throw new SQLException("away");
                    }
                    return store.pool().getConnection();
                  });
      first = new PostgresIdempotency(pool, store.pool(), new SynchronousOffload(), SETTINGS);
      return first;
    }
  }

  @Test
  void aKeyIsFreedWhenTheStoreIsBack() {
    var away = new Away();
    Claim claim = claimed(away.node(), "freed later", "body");
    dispatch(claim);
    away.isAway = true;
    List<String> reported = new ArrayList<>();
    claim.free(() -> reported.add("freed"));
    assertThat(reported).containsExactly("freed");

    pass(Duration.ofSeconds(20));
    passLease();
    assertThat(ask(second, "freed later", "body")).isInstanceOf(ClaimResult.Running.class);
    away.isAway = false;
    pass(Duration.ofSeconds(1));
    claimed(second, "freed later", "other").free(() -> {});
    assertThat(first.running()).isZero();
    assertThat(reported).hasSize(1);
  }

  @Test
  void aReplyIsStoredWhenTheStoreIsBack() {
    var away = new Away();
    Claim claim = claimed(away.node(), "stored later", "body");
    dispatch(claim);
    away.isAway = true;
    List<String> reported = new ArrayList<>();
    claim.complete(reply(200, "made"), noted(reported));
    pass(Duration.ofSeconds(50));
    passLease();
    assertThat(reported).containsExactly("delayed");
    assertThat(ask(second, "stored later", "body")).isInstanceOf(ClaimResult.Running.class);

    away.isAway = false;
    pass(Duration.ofSeconds(1));
    assertThat(reported).containsExactly("delayed", "stored");
    assertThat(replayed(second, "stored later", "body").status()).isEqualTo(200);
    assertThat(first.notStored()).isZero();
  }

  @Test
  void aStoreThatStaysAwayIsGivenUp() {
    var away = new Away();
    Claim made = claimed(away.node(), "lost", "body");
    Claim unmade = claimed(first, "not freed", "body");
    dispatch(made);
    away.isAway = true;
    List<String> reported = new ArrayList<>();
    made.complete(reply(200, "made"), noted(reported));
    unmade.free(() -> {});
    pass(Duration.ofSeconds(61));
    pass(Duration.ofSeconds(1));
    assertThat(reported).containsExactly("delayed", "lost");
    assertThat(first.running()).isZero();
    assertThat(first.notStored()).isOne();
  }

  /** The first attempt may have been committed although its result was lost. */
  @Test
  void aStoredReplyWhoseResultWasLostIsStored() {
    Claim claim = claimed(first, "twice", "body");
    dispatch(claim);
    complete(claim, reply(200, "made"));
    complete(claim, reply(200, "made"));
    assertThat(first.notStored()).isZero();
  }

  @Test
  void aBodyIsTheOneThatRoomWasTakenFor() throws Exception {
    Claim claim = claimed(first, "replaced", "body");
    dispatch(claim);
    crash();
    passLease();
    assertThat(replayed(second, "replaced", "body").status()).isEqualTo(502);
    ClaimResult answer =
        answer(
            second,
            submission("replaced", "body"),
            _ -> {
              complete(claim, reply(200, "made meanwhile"));
              return true;
            });
    assertThat(answer).isInstanceOf(ClaimResult.Unavailable.class);
    assertThat(replayed(second, "replaced", "body").status()).isEqualTo(200);
  }

  /** A text would take two bytes for each byte of the body, beside them. */
  @Test
  void aBodyIsReadWithoutCopies() {
    int bytes = 8 << 20;
    Claim claim = claimed(first, "large", "body");
    dispatch(claim);
    complete(
        claim,
        new StoredReply(200, "image/png", List.of(), Unpooled.wrappedBuffer(new byte[bytes])));
    PostgresIdempotency fresh = store.idempotency(new SynchronousOffload(), SETTINGS);
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    assertThat(replayed(fresh, "large", "body").body().readableBytes()).isEqualTo(bytes);
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(bytes * 3L / 2);
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

  @Test
  void anOrganizationHasRoomForSoMuch() {
    var tight =
        new ServerSettings.Idempotency(
            LEASE, Duration.ofHours(24), 1 << 20, 1, ORG_CLAIMS_MAX, 1 << 20);
    PostgresIdempotency one = store.idempotency(new SynchronousOffload(), tight);
    PostgresIdempotency other = store.idempotency(new SynchronousOffload(), tight);
    String large = "x".repeat(700_000);
    for (String key : List.of("one", "two")) {
      Claim claim = claimed(one, key, "body");
      dispatch(claim);
      complete(claim, reply(200, large));
    }
    Claim elsewhere = claimed(other, "three", "body");
    dispatch(elsewhere);
    complete(elsewhere, reply(200, large));

    assertThat(replayed(other, "one", "body").body().readableBytes()).isEqualTo(700_000);
    for (String key : List.of("two", "three")) {
      StoredReply reported = replayed(other, key, "body");
      assertThat(reported.status()).isEqualTo(409);
      assertThat(reported.body().toString(UTF_8)).isEqualTo("not kept");
    }
    assertThat(one.notKept()).isOne();
    assertThat(one.storedBytes()).isEqualTo(700_000 + "not kept".length());
    assertThat(other.notKept()).isOne();
    Claim small = claimed(one, "small", "body");
    dispatch(small);
    complete(small, reply(502, "a failure is delivered again"));
    assertThat(replayed(one, "small", "body").status()).isEqualTo(502);
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
