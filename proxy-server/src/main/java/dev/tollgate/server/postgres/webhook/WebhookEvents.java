package dev.tollgate.server.postgres.webhook;

import dev.tollgate.core.id.OrgId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Queries of webhook events and their attempts in PostgreSQL for operators, and requests of another
 * delivery.
 */
public final class WebhookEvents {
  /** Retention of recorded attempts. */
  static final Duration KEPT = Duration.ofDays(30);

  private static final int PORTION = 5_000;
  private static final int PORTIONS_MAX = 20;

  private static final String LATEST =
      """
      SELECT id, org_id, job_id, event, webhook_host(url) AS host, request_id, state, attempts,
             last_status, last_error, created_at,
             CASE state WHEN 'pending' THEN next_attempt_at END AS next_attempt_at
        FROM webhook_event
       WHERE (?::uuid IS NULL OR org_id = ?::uuid) AND (?::text IS NULL OR state = ?)
       ORDER BY created_at DESC, id LIMIT ?
      """;

  private final DataSource source;

  public WebhookEvents(DataSource source) {
    this.source = source;
  }

  /**
   * Webhook event with the state of its delivery.
   *
   * @param host the receiver's host; the rest of the URL may contain secrets
   * @param state {@code pending}, {@code delivered}, {@code failed} or {@code gone}
   * @param lastStatus status of the last attempt; null if there was no reply
   * @param lastError error of the last attempt
   * @param nextAttempt time of the next attempt, if one follows
   */
  public record WebhookEvent(
      UUID id,
      OrgId org,
      UUID job,
      String event,
      String host,
      String request,
      String state,
      int attempts,
      @Nullable Integer lastStatus,
      @Nullable String lastError,
      Instant createdAt,
      @Nullable Instant nextAttempt) {}

  /** Returns the latest events, the latest first. */
  public List<WebhookEvent> latest(@Nullable OrgId org, @Nullable String state, int rowsMax)
      throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement select = connection.prepareStatement(LATEST)) {
      String orgId = org == null ? null : org.toString();
      select.setString(1, orgId);
      select.setString(2, orgId);
      select.setString(3, state);
      select.setString(4, state);
      select.setInt(5, rowsMax);
      List<WebhookEvent> events = new ArrayList<>();
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          events.add(event(row));
        }
      }
      return events;
    }
  }

  private static WebhookEvent event(ResultSet row) throws SQLException {
    OffsetDateTime next = row.getObject("next_attempt_at", OffsetDateTime.class);
    return new WebhookEvent(
        row.getObject("id", UUID.class),
        new OrgId(row.getObject("org_id", UUID.class)),
        row.getObject("job_id", UUID.class),
        row.getString("event"),
        row.getString("host"),
        row.getString("request_id"),
        row.getString("state"),
        row.getInt("attempts"),
        row.getObject("last_status", Integer.class),
        row.getString("last_error"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        next == null ? null : next.toInstant());
  }

  /**
   * Attempt to deliver a webhook event.
   *
   * @param status HTTP status of the reply; null if there was no reply
   */
  public record DeliveryAttempt(
      int number, Instant at, Duration took, String outcome, @Nullable Integer status) {}

  /** Returns all recorded attempts for an event, in their order. */
  public List<DeliveryAttempt> attempts(UUID event) throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT attempt, at, took_millis, outcome, status FROM webhook_delivery"
                    + " WHERE event_id = ? ORDER BY id")) {
      select.setObject(1, event);
      List<DeliveryAttempt> attempts = new ArrayList<>();
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          attempts.add(
              new DeliveryAttempt(
                  row.getInt(1),
                  row.getObject(2, OffsetDateTime.class).toInstant(),
                  Duration.ofMillis(row.getLong(3)),
                  row.getString(4),
                  row.getObject(5, Integer.class)));
        }
      }
      return attempts;
    }
  }

  /** Result of requesting another delivery. */
  public enum ResendResult {
    /** The schedule starts again; gateways poll within a second. */
    RESCHEDULED,
    UNKNOWN,
    /** The job of the event was deleted. */
    JOB_REMOVED
  }

  /** Delivers an event again, whatever its state. */
  public ResendResult resend(UUID event) throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement resend = connection.prepareStatement("SELECT webhook_resend(?)")) {
      resend.setObject(1, event);
      try (ResultSet row = resend.executeQuery()) {
        row.next();
        String answer = row.getString(1);
        return switch (answer) {
          case "again" -> ResendResult.RESCHEDULED;
          case "removed" -> ResendResult.JOB_REMOVED;
          case "unknown" -> ResendResult.UNKNOWN;
          default -> throw new SQLException("unexpected result of the store: " + answer);
        };
      }
    }
  }

  /** Deletes expired attempts, a bounded number in each round. */
  public void tidy() throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement tidy =
            connection.prepareStatement(
                "SELECT webhook_tidy(make_interval(secs => ?::double precision), ?)")) {
      tidy.setLong(1, KEPT.toSeconds());
      tidy.setInt(2, PORTION);
      boolean more = true;
      for (int portion = 0; portion < PORTIONS_MAX && more; portion++) {
        try (ResultSet row = tidy.executeQuery()) {
          more = row.next() && row.getInt(1) == PORTION;
        }
      }
    }
  }
}
