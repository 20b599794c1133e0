package dev.tollgate.server.postgres.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Operator access to the quarantine of charges that the ledger store rejected: lists charges, and
 * retries or drops each. Either decision is recorded in {@code quarantine_decision}, in the same
 * transaction.
 */
public final class LedgerQuarantine {
  private static final String LIST =
      """
      SELECT id, request_id, org_id, key_id, cost_micro, at, reason
        FROM settlement_quarantine WHERE id > ? ORDER BY id LIMIT ?
      """;

  private static final String TAKE =
      "SELECT * FROM settlement_quarantine WHERE request_id = ? FOR UPDATE";

  private static final String COLUMNS =
      """
      request_id, org_id, key_id, holder, held, reserved_micro, cost_micro, prompt_tokens,
      completion_tokens, cached_tokens, reasoning_tokens, estimated, how, row, reason
      """;

  private static final String DECIDE =
      """
      WITH ended AS (DELETE FROM settlement_quarantine WHERE request_id = ? RETURNING *)
      INSERT INTO quarantine_decision (decision, actor, aside_since, %s)
      SELECT ?, ?, at, %s FROM ended RETURNING cost_micro
      """
          .formatted(COLUMNS, COLUMNS);

  private final DataSource pool;

  public LedgerQuarantine(DataSource pool) {
    this.pool = pool;
  }

  /**
   * Quarantined charge, which is not settled.
   *
   * @param number ascending in the order of arrival
   * @param reason the ledger store's error
   */
  public record QuarantinedCharge(
      long number,
      String request,
      String org,
      String key,
      MicroUsd cost,
      Instant since,
      String reason) {}

  /** Result of another attempt to settle a quarantined charge. */
  public sealed interface RetryResult {
    /** The charge is settled, now or earlier. */
    record Settled(MicroUsd cost) implements RetryResult {}

    /** The charge stays in quarantine. */
    record Refused(String why) implements RetryResult {}

    record Unknown() implements RetryResult {}
  }

  /** Returns the oldest charges after a number, at most {@code countMax}. */
  public List<QuarantinedCharge> list(long afterId, int countMax) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement select = connection.prepareStatement(LIST)) {
      select.setLong(1, afterId);
      select.setInt(2, countMax);
      try (ResultSet row = select.executeQuery()) {
        List<QuarantinedCharge> charges = new ArrayList<>();
        while (row.next()) {
          charges.add(
              new QuarantinedCharge(
                  row.getLong("id"),
                  row.getString("request_id"),
                  row.getString("org_id"),
                  row.getString("key_id"),
                  new MicroUsd(row.getLong("cost_micro")),
                  row.getObject("at", OffsetDateTime.class).toInstant(),
                  row.getString("reason")));
        }
        return charges;
      }
    }
  }

  /** Settles a charge as its node would have; once, even if the node sends it too. */
  public RetryResult retry(String request, String actor) throws SQLException {
    try {
      return Transactions.run(pool, connection -> retry(connection, request, actor));
    } catch (SQLException e) {
      // A row that no retry will store stays in quarantine; a transient failure is the caller's.
      if (LedgerStoreFailures.of(e).kind() == LedgerStoreException.Kind.POISONED) {
        return new RetryResult.Refused(singleLine(e));
      }
      throw e;
    } catch (IllegalArgumentException e) {
      return new RetryResult.Refused("the charge cannot be read: " + e.getMessage());
    }
  }

  /** Drops a charge; returns its cost, or empty if it does not exist. */
  public Optional<MicroUsd> drop(String request, String actor) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return decide(connection, request, "dropped", actor);
    }
  }

  private static RetryResult retry(Connection connection, String request, String actor)
      throws SQLException {
    try (PreparedStatement take = connection.prepareStatement(TAKE)) {
      take.setString(1, request);
      try (ResultSet row = take.executeQuery()) {
        if (!row.next()) {
          return new RetryResult.Unknown();
        }
        settleEvenWithoutRow(connection, row.getString("holder"), read(row));
      }
    }
    return decide(connection, request, "booked", actor)
        .<RetryResult>map(RetryResult.Settled::new)
        .orElseThrow(() -> new SQLException(request + " left quarantine while its row was locked"));
  }

  /** Returns message and detail of the error, without the statements around it. */
  private static String singleLine(SQLException refusal) {
    return String.valueOf(refusal.getMessage())
        .lines()
        .map(String::strip)
        .takeWhile(line -> !line.startsWith("Where:"))
        .collect(Collectors.joining(" "));
  }

  private static Settlement read(ResultSet row) throws SQLException {
    return new Settlement(
        new RequestId(row.getString("request_id")),
        new OrgId(UUID.fromString(row.getString("org_id"))),
        new KeyId(row.getString("key_id")),
        row.getInt("held"),
        new MicroUsd(row.getLong("reserved_micro")),
        new MicroUsd(row.getLong("cost_micro")),
        new Tokens(
            row.getLong("prompt_tokens"),
            row.getLong("completion_tokens"),
            row.getLong("cached_tokens"),
            row.getLong("reasoning_tokens"),
            row.getBoolean("estimated")),
        SettlementKind.valueOf(row.getString("how").toUpperCase(Locale.ROOT)),
        row.getBytes("row"));
  }

  /** The line in the request log may be the only fault, or that day's log may be dropped. */
  private static void settleEvenWithoutRow(Connection connection, String holder, Settlement charge)
      throws SQLException {
    Savepoint before = connection.setSavepoint();
    try {
      settle(connection, holder, charge);
    } catch (SQLException e) {
      connection.rollback(before);
      settle(connection, holder, charge.withoutRow());
    }
  }

  private static void settle(Connection connection, String holder, Settlement charge)
      throws SQLException {
    try (PreparedStatement settle = connection.prepareStatement(SettlementBatch.CALL)) {
      SettlementBatch.bind(settle, holder, List.of(charge));
      settle.execute();
    }
  }

  private static Optional<MicroUsd> decide(
      Connection connection, String request, String decision, String actor) throws SQLException {
    try (PreparedStatement decide = connection.prepareStatement(DECIDE)) {
      decide.setString(1, request);
      decide.setString(2, decision);
      decide.setString(3, actor);
      try (ResultSet row = decide.executeQuery()) {
        return row.next() ? Optional.of(new MicroUsd(row.getLong(1))) : Optional.empty();
      }
    }
  }
}
