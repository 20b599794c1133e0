package dev.tollgate.server.postgres.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Window;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Queries of recent requests in PostgreSQL's request log, for the CLI. A charge whose node died may
 * have no line of its own; it is shown with the fields of its settlement.
 */
public final class RequestHistory {
  private static final String LINES =
      """
      SELECT l.request_id, l.org_id, l.key_id, s.how, l.at,
             CASE WHEN s.holder LIKE 'job:%'
                  THEN (l.row::jsonb || jsonb_build_object('cost_micro', s.cost_micro))::text
                  ELSE l.row END AS row
        FROM request_log l LEFT JOIN settlement s ON s.day = l.day AND s.request_id = l.request_id
      """;

  private static final String CRASHED =
      """
      SELECT s.request_id, s.org_id, s.key_id, s.how, s.at, json_build_object(
               'request_id', s.request_id, 'org', s.org_id, 'key_id', s.key_id,
               'prompt_tokens', s.prompt_tokens, 'completion_tokens', s.completion_tokens,
               'cached_tokens', s.cached_tokens, 'reasoning_tokens', s.reasoning_tokens,
               'estimated', s.estimated, 'cost_micro', s.cost_micro)::text AS row
        FROM settlement s
       WHERE s.how = 'crash' AND s.day >= ?::date AND s.request_id >= ?
         AND NOT EXISTS (SELECT 1 FROM request_log l
                          WHERE l.day = s.day AND l.request_id = s.request_id)
      """;

  private static final String LATEST =
      """
      SELECT * FROM (
        (%s WHERE l.day >= ?::date AND l.request_id >= ?
             AND (?::uuid IS NULL OR l.org_id = ?::uuid) AND (?::text IS NULL OR l.key_id = ?)
             AND (?::text IS NULL OR l.row::json ->> 'outcome' = ?)
           ORDER BY l.day DESC, l.request_id DESC LIMIT ?)
        UNION ALL
        (SELECT * FROM (%s) c
          WHERE (?::uuid IS NULL OR org_id = ?::uuid) AND (?::text IS NULL OR key_id = ?)
            AND ?::text IS NULL)) r
       ORDER BY request_id DESC LIMIT ?
      """
          .formatted(LINES, CRASHED);

  private static final String WRITTEN =
      """
      %s WHERE l.at > ? AND l.day >= ?::date
           AND (?::uuid IS NULL OR l.org_id = ?::uuid) AND (?::text IS NULL OR l.key_id = ?)
           AND (?::text IS NULL OR l.row::json ->> 'outcome' = ?)
         ORDER BY l.at, l.request_id
      """
          .formatted(LINES);

  private final DataSource source;

  public RequestHistory(DataSource source) {
    this.source = source;
  }

  /**
   * Filter of logged requests; a null member matches all.
   *
   * @param outcome the outcome as the log names it
   */
  public record Filter(@Nullable OrgId org, @Nullable KeyId key, @Nullable String outcome) {}

  /**
   * Entry of the request log.
   *
   * @param how the kind of its charge; null if there is none
   * @param line the gateway's log line: a JSON object
   */
  public record Entry(RequestId id, @Nullable String how, Instant writtenAt, String line) {}

  /** Returns the latest requests since a time, the latest last. */
  public List<Entry> latest(Filter filter, Instant since, int entriesMax) throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement select = connection.prepareStatement(LATEST)) {
      var parameters = new Parameters(select);
      parameters.since(since).filter(filter).add(entriesMax);
      parameters.since(since).twice(id(filter.org())).twice(id(filter.key())).add(filter.outcome());
      parameters.add(entriesMax);
      return read(select).reversed();
    }
  }

  /** Returns the requests that were written after a time, in that order. */
  public List<Entry> written(Filter filter, Instant after) throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement select = connection.prepareStatement(WRITTEN)) {
      String yesterday = Window.at(after.toEpochMilli()).day().minusDays(1).toString();
      var parameters = new Parameters(select);
      parameters.add(after.atOffset(ZoneOffset.UTC)).add(yesterday).filter(filter);
      return read(select);
    }
  }

  /** Returns the time of the database, which timestamps the rows. */
  public Instant now() throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement select = connection.prepareStatement("SELECT clock_timestamp()");
        ResultSet row = select.executeQuery()) {
      row.next();
      return row.getObject(1, OffsetDateTime.class).toInstant();
    }
  }

  private static List<Entry> read(PreparedStatement select) throws SQLException {
    List<Entry> entries = new ArrayList<>();
    try (ResultSet row = select.executeQuery()) {
      while (row.next()) {
        entries.add(
            new Entry(
                new RequestId(row.getString("request_id")),
                row.getString("how"),
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getString("row")));
      }
    }
    return entries;
  }

  private static @Nullable String id(@Nullable Object id) {
    return id == null ? null : id.toString();
  }

  /** Parameters of a statement, in their order. */
  private static final class Parameters {
    private final PreparedStatement statement;
    private int count;

    Parameters(PreparedStatement statement) {
      this.statement = statement;
    }

    Parameters add(@Nullable Object value) throws SQLException {
      statement.setObject(++count, value);
      return this;
    }

    Parameters twice(@Nullable Object value) throws SQLException {
      return add(value).add(value);
    }

    Parameters since(Instant since) throws SQLException {
      long millis = since.toEpochMilli();
      return add(Window.at(millis).day().toString()).add(RequestId.lowestAt(millis));
    }

    Parameters filter(Filter filter) throws SQLException {
      return twice(id(filter.org())).twice(id(filter.key())).twice(filter.outcome());
    }
  }
}
