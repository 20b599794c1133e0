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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import javax.sql.DataSource;

/**
 * The outbox in PostgreSQL, for one node: {@code V16__webhooks}. Blocking; whoever has to wait for
 * a connection waits here, as receivers must not take the pool's from clients.
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
        "SELECT * FROM webhook_claim(?, ?, ?, ?, make_interval(secs => ?),"
            + " make_interval(secs => ?))",
        claim -> {
          claim.setString(1, worker);
          claim.setInt(2, wish.most());
          claim.setInt(3, wish.hostMost());
          claim.setInt(4, wish.orgMost());
          claim.setDouble(5, seconds(wish.lease()));
          claim.setDouble(6, seconds(wish.first()));
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
        row.getInt("attempt"),
        Duration.ofMillis(Math.max(0, Math.round(row.getDouble("age") * 1e3))),
        secrets);
  }

  @Override
  public void book(Attempt attempt) throws OutboxException {
    var _ =
        run(
            "SELECT webhook_book(?, ?, ?, ?, ?, ?, ?, make_interval(secs => ?))",
            book -> {
              var status = attempt.reply().status();
              book.setObject(1, attempt.event());
              book.setString(2, worker);
              book.setInt(3, attempt.number());
              book.setString(4, attempt.reply().outcome());
              book.setObject(5, status.isPresent() ? status.getAsInt() : null);
              book.setLong(6, attempt.took().toMillis());
              book.setString(7, word(attempt.next()));
              book.setDouble(8, seconds(pause(attempt.next())));
              return book.execute();
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
  public void release(UUID event) throws OutboxException {
    var _ =
        run(
            "SELECT webhook_release(?, ?)",
            release -> {
              release.setObject(1, event);
              release.setString(2, worker);
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
