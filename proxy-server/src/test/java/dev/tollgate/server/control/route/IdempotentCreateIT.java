package dev.tollgate.server.control.route;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.control.route.IdempotentCreate.Replayed;
import dev.tollgate.server.postgres.SharedPostgres;
import dev.tollgate.server.postgres.Store;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Idempotency keys of creating calls, against a real store. */
final class IdempotentCreateIT {
  /** A reply with a secret. */
  record Made(String id, String secret, List<Made> more) {}

  private static final RouteSpec ROUTE =
      RouteDraft.post("T", "/t").creates(Made.class).build("MAKE");
  private static final Made MADE = new Made("a", "s1", List.of(new Made("b", "s2", List.of())));

  private static Store store;
  private static DataSource pool;

  @BeforeAll
  static void open() throws Exception {
    store = SharedPostgres.newStore();
    pool = store.controlPool(4);
  }

  @AfterAll
  static void close() {
    store.close();
  }

  private static IdempotentCreate claim(String key, String body) {
    return new IdempotentCreate("user:1", ROUTE, key, "/t", body.getBytes(UTF_8));
  }

  private static void make(IdempotentCreate claim, boolean commits) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      claim.begin(connection);
      claim.complete(connection, MADE);
      if (commits) {
        connection.commit();
      } else {
        connection.rollback();
      }
    }
  }

  @Test
  void aRepetitionGetsTheFirstReplyWithoutSecrets() throws Exception {
    make(claim("k1", "{}"), true);
    Replayed replayed = catchThrowableOfType(Replayed.class, () -> make(claim("k1", "{}"), true));
    assertThat(replayed.status()).isEqualTo(201);
    assertThat(replayed.reply().toString())
        .isEqualTo(
            """
            {"id":"a","secret":null,"more":[{"id":"b","secret":null,"more":[],"secret_shown":true}],\
            "secret_shown":true}""");
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT response FROM control_idempotency")) {
      assertThat(rows.next()).isTrue();
      assertThat(rows.getString(1)).doesNotContain("s1", "s2");
    }
  }

  @Test
  void anotherBodyIsAConflict() throws Exception {
    make(claim("k2", "{}"), true);
    Refused refused =
        catchThrowableOfType(Refused.class, () -> make(claim("k2", "{\"a\":1}"), true));
    assertThat(refused.fault().code()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
  }

  @Test
  void aChangeThatIsUndoneFreesItsKey() throws Exception {
    make(claim("k3", "{}"), false);
    make(claim("k3", "{\"a\":1}"), true);
    assertThat(catchThrowableOfType(Refused.class, () -> make(claim("k3", "{}"), true)))
        .isNotNull();
  }

  @Test
  void aDuplicateWaitsForTheFirstAndIsRefusedIfItTakesLong() throws Exception {
    try (Connection first = pool.getConnection()) {
      first.setAutoCommit(false);
      claim("k4", "{}").begin(first);
      Refused refused = catchThrowableOfType(Refused.class, () -> make(claim("k4", "{}"), true));
      assertThat(refused.fault().retryAfterSeconds()).isEqualTo(1);
      var begun = new CountDownLatch(1);
      CompletableFuture<Replayed> waiting =
          CompletableFuture.supplyAsync(
              () -> {
                begun.countDown();
                return catchThrowableOfType(Replayed.class, () -> make(claim("k4", "{}"), true));
              });
      assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
      claim("k4", "{}").complete(first, MADE);
      first.commit();
      assertThat(waiting.get(10, TimeUnit.SECONDS).status()).isEqualTo(201);
    }
  }
}
