package dev.tollgate.server.postgres;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.webhook.Due;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.WebhookSecret;
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

/**
 * The outbox in PostgreSQL, for one node: {@code V18__webhooks_apart}. Blocking; whoever has to
 * wait for a connection waits here, as receivers must not take the pool's from clients.
 */
final class WebhookRows implements Outbox {
  private static final int CONNECTIONS = 2;

  private final DataSource pool;
  private final String worker;
  private final Semaphore connections = new Semaphore(CONNECTIONS);

  /**
   * @param worker what no other node is called, and none was
   */
  WebhookRows(DataSource pool, String worker) {
    this.pool = pool;
    this.worker = worker;
  }

  @Override
  public List<Due> claim(Wish wish) throws OutboxException {
    return run(
        "SELECT * FROM webhook_claim(?, ?, ?, ?, ?, ?, make_interval(secs => ?),"
            + " make_interval(secs => ?))",
        claim -> {
          claim.setString(1, worker);
          claim.setInt(2, wish.most());
          claim.setInt(3, wish.slowMost());
          claim.setInt(4, wish.places().receiver());
          claim.setInt(5, wish.places().host());
          claim.setInt(6, wish.places().org());
          claim.setDouble(7, seconds(wish.lease()));
          claim.setDouble(8, seconds(wish.first()));
          List<Due> claimed = new ArrayList<>();
          try (ResultSet row = claim.executeQuery()) {
            while (row.next()) {
              claimed.add(due(row));
            }
          }
          return claimed;
        });
  }

  private static Due due(ResultSet row) throws SQLException {
    List<WebhookSecret> secrets = new ArrayList<>();
    secrets.add(new WebhookSecret(row.getBytes("secret")));
    byte[] before = row.getBytes("secret_before");
    if (before != null) {
      secrets.add(new WebhookSecret(before));
    }
    return new Due(
        row.getObject("id", UUID.class),
        new OrgId(row.getObject("org_id", UUID.class)),
        row.getObject("job_id", UUID.class),
        row.getString("event"),
        row.getString("url"),
        new RequestId(row.getString("request_id")),
        row.getInt("lease"),
        row.getInt("attempt"),
        Duration.ofMillis(Math.max(0, Math.round(row.getDouble("age") * 1e3))),
        secrets);
  }

  @Override
  public Booked book(Attempt attempt) throws OutboxException {
    return run(
        "SELECT webhook_book(?, ?, ?, ?, ?, ?, ?, ?, make_interval(secs => ?), ?)",
        book -> {
          var reply = attempt.reply();
          book.setObject(1, attempt.due().id());
          book.setString(2, worker);
          book.setInt(3, attempt.due().lease());
          book.setInt(4, attempt.due().attempt());
          book.setString(5, reply.outcome());
          book.setObject(
              6, reply.status().isPresent() ? reply.status().getAsInt() : null, Types.INTEGER);
          book.setLong(7, attempt.took().toMillis());
          book.setString(8, word(attempt.next()));
          book.setDouble(9, seconds(pause(attempt.next())));
          book.setObject(10, reply.equals(Reply.REMOVED) ? null : SLOW.toMillis(), Types.BIGINT);
          try (ResultSet row = book.executeQuery()) {
            row.next();
            return row.getBoolean(1) ? Booked.DECIDED : Booked.LATE;
          }
        });
  }

  private static String word(Next next) {
    return switch (next) {
      case Next.Delivered _ -> "delivered";
      case Next.Gone _ -> "gone";
      case Next.Failed _ -> "failed";
      case Next.Again _ -> "again";
    };
  }

  private static Duration pause(Next next) {
    return switch (next) {
      case Next.Again again -> again.pause();
      case Next.Delivered _, Next.Gone _, Next.Failed _ -> Duration.ZERO;
    };
  }

  @Override
  public void release(Due due, Duration pause) throws OutboxException {
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
