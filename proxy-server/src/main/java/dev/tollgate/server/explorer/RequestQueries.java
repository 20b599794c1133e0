package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.explorer.RequestScan.Portion;
import dev.tollgate.server.postgres.session.SqlParts;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Pages of the request view, the latest requests first. A page looks at a bounded number of rows,
 * so it may be short or empty although more requests match.
 */
public final class RequestQueries {
  /** Most rows that one page looks at. */
  public static final int ROWS_LOOKED_AT_MAX = RequestScan.ROWS_MAX;

  /** Largest page. */
  public static final int PAGE_MAX = 200;

  /** Rows that are looked at first: the page is full after these unless its filter is rare. */
  private static final int FIRST_PORTION = 200;

  private final DataSource source;

  /**
   * @param source connections with a short statement timeout
   */
  public RequestQueries(DataSource source) {
    this.source = source;
  }

  /** Place in the order of requests: the request itself is not on the page that follows. */
  public record Position(LocalDate day, String requestId) {
    /** Returns the place that a text of {@link #toString} stands for; empty for any other text. */
    public static Optional<Position> parse(String text) {
      String[] parts = text.split(" ", 2);
      if (parts.length != 2 || !RequestViewRows.isId(parts[1])) {
        return Optional.empty();
      }
      try {
        return Optional.of(new Position(LocalDate.parse(parts[0]), parts[1]));
      } catch (DateTimeParseException _) {
        return Optional.empty();
      }
    }

    @Override
    public String toString() {
      return day + " " + requestId;
    }
  }

  /**
   * Page of requests.
   *
   * @param next where the next page begins; null if all requests of the filter were looked at
   * @param asOf the view has everything that was written before
   * @param scannedTo all requests of the filter since this time were looked at
   */
  public record Page(
      List<RequestRow> rows, @Nullable Position next, Instant asOf, Instant scannedTo) {
    public Page {
      rows = List.copyOf(rows);
    }
  }

  /**
   * Returns a page.
   *
   * @param org null for all organizations
   * @param after end of the page before; null for the first page
   */
  public Page list(@Nullable OrgId org, RequestFilter filter, @Nullable Position after, int rowsMax)
      throws SQLException {
    return Transactions.run(
        source,
        connection -> {
          Instant asOf = RequestScan.begin(connection);
          var scan = new RequestScan(connection, org, filter, "v.request_id");
          var page = new PageSearch(Math.min(rowsMax, PAGE_MAX));
          Position next = scan.run(after, FIRST_PORTION, page::read);
          return new Page(page.found, next, asOf, scan.scannedTo(next));
        });
  }

  /** Search for the rows of one page. */
  private static final class PageSearch {
    private final int rowsMax;
    private final List<RequestRow> found = new ArrayList<>();

    PageSearch(int rowsMax) {
      this.rowsMax = rowsMax;
    }

    /** Row of the page, or none, with what was looked at. */
    private record Hit(int lookedAt, @Nullable String earliest, @Nullable RequestRow row) {
      static Hit read(ResultSet row) throws SQLException {
        return new Hit(
            row.getInt("looked_at"),
            row.getString("earliest"),
            row.getString("request_id") == null ? null : RequestViewRows.read(row));
      }
    }

    Portion read(Connection connection, LocalDate day, SqlParts rows) throws SQLException {
      int left = rowsMax - found.size();
      var query = new SqlParts().add("SELECT p.looked_at, p.earliest, " + RequestViewRows.COLUMNS);
      query.add("FROM (SELECT count(*) AS looked_at, min(v.request_id) AS earliest,");
      query.add("(array_agg(v.request_id) FILTER (WHERE v.matches))[1:?] AS ids FROM", left);
      query.add(rows).add("v) p");
      query.add("LEFT JOIN request_view v ON v.day = ? AND v.request_id = ANY (p.ids)", day);
      List<Hit> hits = query.add("ORDER BY v.request_id DESC").list(connection, Hit::read);
      for (Hit hit : hits) {
        if (hit.row() != null) {
          found.add(hit.row());
        }
      }
      int lookedAt = hits.getFirst().lookedAt();
      return found.size() == rowsMax
          ? new Portion(lookedAt, found.getLast().requestId(), true)
          : new Portion(lookedAt, hits.getFirst().earliest(), false);
    }
  }
}
