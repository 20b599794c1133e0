package dev.tollgate.server.postgres.idempotency;

import dev.tollgate.core.http.Field;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.idempotency.StoredReply;
import dev.tollgate.core.idempotency.Submission;
import dev.tollgate.server.postgres.session.SqlArrays;
import io.netty.buffer.ByteBufInputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.postgresql.PGStatement;

/**
 * DAO of the {@code idempotency} table: claims of idempotency keys and their stored replies, each
 * step one statement of {@code V4__idempotency}.
 */
final class ClaimRows {
  /** Value of the driver's prepareThreshold. */
  private static final int ALWAYS_BINARY = -1;

  private static final String BY_KEY = " WHERE org_id = ? AND endpoint = ? AND key = ?";

  /** A locked row is about to change, so the renewal of the others skips it. */
  private static final String RENEW =
      """
      WITH alive AS (
        SELECT i.org_id, i.endpoint, i.key
          FROM idempotency i
          JOIN unnest(?, ?, ?, ?) AS held (org_id, endpoint, key, request_id)
            ON i.org_id = held.org_id AND i.endpoint = held.endpoint AND i.key = held.key
         WHERE i.request_id = held.request_id AND i.state IN ('claimed', 'dispatched')
           FOR NO KEY UPDATE OF i SKIP LOCKED)
      UPDATE idempotency i SET lease_until = clock_timestamp() + make_interval(secs => ?)
        FROM alive
       WHERE i.org_id = alive.org_id AND i.endpoint = alive.endpoint AND i.key = alive.key
      """;

  private final DataSource pool;
  private final Duration lease;
  private final Duration retention;

  /**
   * @param lease how long a claim outlives its last renewal
   * @param retention how long the result is kept
   */
  ClaimRows(DataSource pool, Duration lease, Duration retention) {
    this.pool = pool;
    this.lease = lease;
    this.retention = retention;
  }

  /** Primary key of a claim's row, with the request that holds the claim. */
  record HeldClaim(UUID org, String endpoint, String key, RequestId request) {
    static HeldClaim of(Submission submission) {
      return new HeldClaim(
          submission.org().value(),
          submission.endpoint(),
          submission.key().text(),
          submission.request());
    }
  }

  /** Result of claiming an idempotency key. */
  sealed interface ClaimOutcome {
    record Acquired() implements ClaimOutcome {}

    record Running(Duration age) implements ClaimOutcome {}

    record Conflict() implements ClaimOutcome {}

    /** The request has completed; its stored reply, without the body. */
    record Completed(int status, String contentType, List<Field> fields, int bodyBytes)
        implements ClaimOutcome {}
  }

  ClaimOutcome claim(Submission submission, byte[] sha256) throws SQLException {
    HeldClaim held = HeldClaim.of(submission);
    StoredReply lost = submission.ifLost();
    try (Connection connection = pool.getConnection();
        PreparedStatement claim =
            connection.prepareStatement(
                "SELECT * FROM idempotency_claim(?, ?, ?, ?, ?, make_interval(secs => ?),"
                    + " make_interval(secs => ?), ?, ?, ?, ?, ?)")) {
      bindClaim(claim, 1, held);
      claim.setBytes(4, sha256);
      claim.setString(5, held.request().value());
      claim.setDouble(6, seconds(lease));
      claim.setDouble(7, seconds(retention));
      bindReply(claim, 8, lost);
      try (ResultSet row = claim.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("the store returned no result of the claim");
        }
        return outcome(row);
      }
    }
  }

  private static ClaimOutcome outcome(ResultSet row) throws SQLException {
    String answer = row.getString("answer");
    return switch (answer) {
      case "claimed" -> new ClaimOutcome.Acquired();
      case "conflict" -> new ClaimOutcome.Conflict();
      case "running" -> {
        long millis = Math.round(row.getDouble("age") * 1e3);
        yield new ClaimOutcome.Running(Duration.ofMillis(millis));
      }
      case "replay" ->
          new ClaimOutcome.Completed(
              row.getInt("its_status"),
              row.getString("its_type"),
              fields(row),
              row.getInt("body_bytes"));
      default -> throw new SQLException("unexpected result of the store: " + answer);
    };
  }

  private static List<Field> fields(ResultSet row) throws SQLException {
    String[] names = (String[]) row.getArray("its_names").getArray();
    String[] values = (String[]) row.getArray("its_values").getArray();
    List<Field> fields = new ArrayList<>();
    for (int i = 0; i < names.length; i++) {
      fields.add(new Field(names[i], values[i]));
    }
    return fields;
  }

  /**
   * Returns the body of a completed submission; empty if the row was deleted or changed in between.
   * Read in binary: as text it would be in memory three times, and the driver's default reads text
   * first.
   */
  Optional<byte[]> body(HeldClaim held, ClaimOutcome.Completed completed) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT body FROM idempotency"
                    + BY_KEY
                    + " AND status = ? AND octet_length(body) = ?")) {
      select.unwrap(PGStatement.class).setPrepareThreshold(ALWAYS_BINARY);
      bindClaim(select, 1, held);
      select.setInt(4, completed.status());
      select.setInt(5, completed.bodyBytes());
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? Optional.ofNullable(row.getBytes(1)) : Optional.empty();
      }
    }
  }

  /** Returns the stored bytes of an organization. */
  long bytesOf(UUID org) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement sum =
            connection.prepareStatement(
                "SELECT coalesce(sum(octet_length(body)), 0) FROM idempotency WHERE org_id = ?")) {
      sum.setObject(1, org);
      try (ResultSet row = sum.executeQuery()) {
        return row.next() ? row.getLong(1) : 0;
      }
    }
  }

  /** Records that the request is about to be sent to a provider; true unless the claim was lost. */
  boolean dispatch(HeldClaim held) throws SQLException {
    return update(
        "UPDATE idempotency SET state = 'dispatched',"
            + " lease_until = clock_timestamp() + make_interval(secs => ?)"
            + BY_KEY
            + " AND request_id = ? AND state IN ('claimed', 'dispatched')",
        update -> {
          update.setDouble(1, seconds(lease));
          bindClaim(update, 2, held);
          update.setString(5, held.request().value());
        });
  }

  /**
   * Stores the result, even if the claim was marked as lost meanwhile, and again if an earlier
   * attempt's result was lost.
   */
  boolean complete(HeldClaim held, StoredReply reply) throws SQLException {
    return update(
        "UPDATE idempotency SET state = 'done', lease_until = clock_timestamp(),"
            + " expires_at = clock_timestamp() + make_interval(secs => ?),"
            + " status = ?, content_type = ?, field_names = ?, field_values = ?, body = ?"
            + BY_KEY
            + " AND request_id = ? AND state IN ('dispatched', 'lost', 'done')",
        update -> {
          update.setDouble(1, seconds(retention));
          bindReply(update, 2, reply);
          bindClaim(update, 7, held);
          update.setString(10, held.request().value());
        });
  }

  /** Deletes the claim. */
  void free(HeldClaim held) throws SQLException {
    var _ =
        update(
            "DELETE FROM idempotency"
                + BY_KEY
                + " AND request_id = ? AND state IN ('claimed', 'dispatched')",
            delete -> {
              bindClaim(delete, 1, held);
              delete.setString(4, held.request().value());
            });
  }

  /** Renews the leases of these claims. */
  void renew(Collection<HeldClaim> all) throws SQLException {
    List<HeldClaim> held = List.copyOf(all);
    var _ =
        update(
            RENEW,
            renew -> {
              Connection connection = renew.getConnection();
              renew.setArray(1, SqlArrays.of(connection, "uuid", held, h -> h.org().toString()));
              renew.setArray(2, SqlArrays.of(connection, "text", held, HeldClaim::endpoint));
              renew.setArray(3, SqlArrays.of(connection, "text", held, HeldClaim::key));
              renew.setArray(4, SqlArrays.of(connection, "text", held, h -> h.request().value()));
              renew.setDouble(5, seconds(lease));
            });
  }

  private interface Binding {
    void bind(PreparedStatement statement) throws SQLException;
  }

  private boolean update(String sql, Binding binding) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement update = connection.prepareStatement(sql)) {
      binding.bind(update);
      return update.executeUpdate() > 0;
    }
  }

  private static void bindClaim(PreparedStatement statement, int from, HeldClaim held)
      throws SQLException {
    statement.setObject(from, held.org());
    statement.setString(from + 1, held.endpoint());
    statement.setString(from + 2, held.key());
  }

  /** Streams the body from its buffer, without another copy. */
  private static void bindReply(PreparedStatement statement, int from, StoredReply reply)
      throws SQLException {
    Connection connection = statement.getConnection();
    var body = reply.body().duplicate();
    statement.setInt(from, reply.status());
    statement.setString(from + 1, reply.contentType());
    statement.setArray(from + 2, SqlArrays.of(connection, "text", reply.fields(), Field::name));
    statement.setArray(from + 3, SqlArrays.of(connection, "text", reply.fields(), Field::value));
    statement.setBinaryStream(from + 4, new ByteBufInputStream(body), body.readableBytes());
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1e3;
  }
}
