package dev.tollgate.server.postgres.webhook;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.WebhookSecret;
import dev.tollgate.server.postgres.tenants.Seal;
import dev.tollgate.server.postgres.tenants.Seal.UnsealResult;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Outbox of webhook events in PostgreSQL, as one node uses it: claims due events and records
 * attempts ({@code V12__webhooks}). Calls block, and use at most a few connections, so that
 * webhooks do not take those of clients.
 */
public final class PostgresOutbox implements Outbox {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresOutbox.class);
  private static final int CONNECTIONS = 2;

  /** Delay before an event that could not be signed is claimed again. */
  private static final Duration HOLD_DURATION = Duration.ofMinutes(1);

  /** After this time any node that can sign the event has claimed it. */
  private static final Duration LOCKED_SINCE = Duration.ofSeconds(10);

  /** Upper bound of rows that one statement counts or annotates. */
  private static final int COUNTED_MAX = 1_000;

  private final DataSource pool;
  private final String worker;
  private final Seal seal;
  private final Semaphore connections = new Semaphore(CONNECTIONS);

  /**
   * @param worker a name that no other node has or had
   */
  public PostgresOutbox(DataSource pool, String worker, Seal seal) {
    this.pool = pool;
    this.worker = worker;
    this.seal = seal;
  }

  @Override
  public List<ClaimedEvent> claim(ClaimOptions options) throws OutboxException {
    List<ClaimedEvent> due = new ArrayList<>();
    for (ClaimedRow one : claimed(options)) {
      switch (one) {
        case ClaimedRow.Ready ready -> due.add(ready.due());
        case ClaimedRow.Locked locked -> hold(locked);
      }
    }
    return due;
  }

  /** Row of a claimed event, ready or not signable. */
  private sealed interface ClaimedRow {
    record Ready(ClaimedEvent due) implements ClaimedRow {}

    record Locked(UUID event, OrgId org, int lease, String cause) implements ClaimedRow {}
  }

  private List<ClaimedRow> claimed(ClaimOptions options) throws OutboxException {
    return run(
        "SELECT * FROM webhook_claim(?, ?, ?, ?, ?, ?, make_interval(secs => ?),"
            + " make_interval(secs => ?), ?)",
        claim -> {
          claim.setString(1, worker);
          claim.setInt(2, options.limit());
          claim.setInt(3, options.slowLimit());
          claim.setInt(4, options.concurrency().receiver());
          claim.setInt(5, options.concurrency().host());
          claim.setInt(6, options.concurrency().org());
          claim.setDouble(7, seconds(options.lease()));
          claim.setDouble(8, seconds(options.firstDelay()));
          claim.setArray(9, keys(claim));
          List<ClaimedRow> claimed = new ArrayList<>();
          try (ResultSet row = claim.executeQuery()) {
            while (row.next()) {
              claimed.add(read(row));
            }
          }
          return claimed;
        });
  }

  private ClaimedRow read(ResultSet row) throws SQLException {
    var org = new OrgId(row.getObject("org_id", UUID.class));
    List<WebhookSecret> secrets = new ArrayList<>();
    for (String name : List.of("secret", "secret_before")) {
      byte[] bytes = row.getBytes(name);
      if (bytes != null) {
        switch (seal.open(org, new Seal.StoredSecret(bytes, row.getString(name + "_key")))) {
          case UnsealResult.Opened(byte[] secret) -> secrets.add(new WebhookSecret(secret));
          case UnsealResult.KeyMissing _ -> {
            return locked(row, org, Unsignable.KEY_MISSING);
          }
          case UnsealResult.Damaged _ -> {
            return locked(row, org, Unsignable.SECRET_DAMAGED);
          }
        }
      }
    }
    return new ClaimedRow.Ready(due(row, org, secrets));
  }

  private static ClaimedRow locked(ResultSet row, OrgId org, String cause) throws SQLException {
    return new ClaimedRow.Locked(row.getObject("id", UUID.class), org, row.getInt("lease"), cause);
  }

  private static ClaimedEvent due(ResultSet row, OrgId org, List<WebhookSecret> secrets)
      throws SQLException {
    return new ClaimedEvent(
        row.getObject("id", UUID.class),
        org,
        row.getObject("job_id", UUID.class),
        row.getString("event"),
        row.getString("url"),
        new RequestId(row.getString("request_id")),
        row.getInt("lease"),
        row.getInt("attempt"),
        Duration.ofMillis(Math.max(0, Math.round(row.getDouble("age") * 1e3))),
        secrets);
  }

  /** If the store fails here too, the event is due again when its lease expires. */
  private void hold(ClaimedRow.Locked locked) {
    try {
      boolean isNewlyLocked =
          run(
              "SELECT webhook_hold(?, ?, ?, ?, make_interval(secs => ?))",
              hold -> {
                hold.setObject(1, locked.event());
                hold.setString(2, worker);
                hold.setInt(3, locked.lease());
                hold.setString(4, locked.cause());
                hold.setDouble(5, seconds(HOLD_DURATION));
                try (ResultSet row = hold.executeQuery()) {
                  row.next();
                  return row.getBoolean(1);
                }
              });
      if (isNewlyLocked) {
        LOG.error(
            "webhook {} cannot be signed and waits: {} of organization {}",
            locked.event(),
            locked.cause(),
            locked.org());
      }
    } catch (OutboxException e) {
      LOG.debug("webhook {} stays leased until its lease expires", locked.event(), e);
    }
  }

  @Override
  public Unsignable unsignable() throws OutboxException {
    return run(
        "SELECT * FROM webhook_locked(?, make_interval(secs => ?), ?)",
        select -> {
          select.setArray(1, keys(select));
          select.setDouble(2, seconds(LOCKED_SINCE));
          select.setInt(3, COUNTED_MAX);
          try (ResultSet row = select.executeQuery()) {
            row.next();
            return new Unsignable(row.getLong("key_missing"), row.getLong("secret_damaged"));
          }
        });
  }

  private Array keys(PreparedStatement statement) throws SQLException {
    return statement.getConnection().createArrayOf("text", seal.keyIds().toArray());
  }

  @Override
  public RecordResult recordAttempt(Attempt attempt) throws OutboxException {
    return run(
        "SELECT webhook_book(?, ?, ?, ?, ?, ?, ?, ?, make_interval(secs => ?), ?)",
        book -> {
          var reply = attempt.reply();
          book.setObject(1, attempt.claimed().id());
          book.setString(2, worker);
          book.setInt(3, attempt.claimed().lease());
          book.setInt(4, attempt.claimed().attempt());
          book.setString(5, reply.outcome());
          book.setObject(
              6, reply.status().isPresent() ? reply.status().getAsInt() : null, Types.INTEGER);
          book.setLong(7, attempt.took().toMillis());
          book.setString(8, stateName(attempt.next()));
          book.setDouble(9, seconds(pause(attempt.next())));
          book.setObject(
              10,
              reply.equals(ReceiverReply.REMOVED) ? null : SLOW_THRESHOLD.toMillis(),
              Types.BIGINT);
          try (ResultSet row = book.executeQuery()) {
            row.next();
            return row.getBoolean(1) ? RecordResult.APPLIED : RecordResult.SUPERSEDED;
          }
        });
  }

  private static String stateName(NextStep next) {
    return switch (next) {
      case NextStep.Delivered _ -> "delivered";
      case NextStep.Gone _ -> "gone";
      case NextStep.Failed _ -> "failed";
      case NextStep.Retry _ -> "again";
    };
  }

  private static Duration pause(NextStep next) {
    return switch (next) {
      case NextStep.Retry again -> again.delay();
      case NextStep.Delivered _, NextStep.Gone _, NextStep.Failed _ -> Duration.ZERO;
    };
  }

  @Override
  public void release(ClaimedEvent due, Duration pause) throws OutboxException {
    var _ =
        run(
            "SELECT webhook_release(?, ?, ?, make_interval(secs => ?))",
            release -> {
              release.setObject(1, due.id());
              release.setString(2, worker);
              release.setInt(3, due.lease());
              release.setDouble(4, seconds(pause));
              return release.execute();
            });
  }

  @Override
  public Depth depth() throws OutboxException {
    return run(
        """
        SELECT count(*), coalesce(extract(epoch FROM greatest(
                 ledger_now() - min(next_attempt_at), interval '0')), 0)::double precision
          FROM webhook_event WHERE state = 'pending'
        """,
        select -> {
          try (ResultSet row = select.executeQuery()) {
            row.next();
            long overdue = Math.round(row.getDouble(2) * 1e3);
            return new Depth(row.getLong(1), Duration.ofMillis(overdue));
          }
        });
  }

  private interface Work<T> {
    T run(PreparedStatement statement) throws SQLException;
  }

  private <T> T run(String sql, Work<T> work) throws OutboxException {
    connections.acquireUninterruptibly();
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      return work.run(statement);
    } catch (SQLException e) {
      throw new OutboxException(String.valueOf(e.getMessage()), e);
    } finally {
      connections.release();
    }
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1e3;
  }
}
