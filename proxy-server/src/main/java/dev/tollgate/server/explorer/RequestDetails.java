package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.explorer.ChargeArithmetic.SettledCharge;
import dev.tollgate.server.explorer.RequestDetail.Charge;
import dev.tollgate.server.explorer.RequestDetail.Scope;
import dev.tollgate.server.postgres.ledger.LedgerPartitions;
import dev.tollgate.server.postgres.ledger.PriceSheetRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Query of one request. It reads the request log and the settlement themselves, so it does not wait
 * for the view.
 */
public final class RequestDetails {
  private static final String ONE =
      """
      SELECT day, request_id, coalesce(l.org_id, s.org_id) AS org_id,
             coalesce(l.key_id, s.key_id) AS key_id, v.*, l.row, l.priced, s.how, s.reserved_micro,
             s.overrun_micro, s.held, s.at AS settled_at,
             (SELECT j.id FROM media_job j
               WHERE j.request_id = coalesce(l.request_id, s.request_id)) AS job
        FROM (SELECT * FROM request_log WHERE day = ? AND request_id = ?) l
        FULL JOIN (SELECT * FROM settlement WHERE day = ? AND request_id = ?) s
       USING (day, request_id)
       CROSS JOIN LATERAL request_row_v2(
             request_id, coalesce(request_line(l.row), request_line_of_charge(day, request_id)),
             coalesce(l.at, s.at), coalesce(s.cost_micro, 0), l.operator_cost_micro) v
       WHERE ?::uuid IS NULL OR coalesce(l.org_id, s.org_id) = ?::uuid
      """;

  private static final String SCOPES =
      "SELECT kind, scope_id FROM ledger_scopes(?, ?, ?) ORDER BY kind";

  private final DataSource source;
  private final PriceSheetRows sheets;
  private final int daysKept;

  /**
   * @param requestsKept how long the request log is kept
   */
  public RequestDetails(DataSource source, Duration requestsKept) {
    this.source = source;
    this.sheets = new PriceSheetRows(source);
    this.daysKept = (int) Math.max(LedgerPartitions.RETENTION_DAYS_MIN, requestsKept.toDays());
  }

  /**
   * Returns a request of an organization; empty if there is none, also if it is another's.
   *
   * @param org null for any organization
   */
  public Optional<RequestDetail> find(@Nullable OrgId org, String requestId) throws SQLException {
    if (!RequestViewRows.isId(requestId)) {
      return Optional.empty();
    }
    LocalDate day = Window.at(new RequestId(requestId).epochMillis()).day();
    UUID its = org == null ? null : org.value();
    try (Connection connection = source.getConnection();
        PreparedStatement select = connection.prepareStatement(ONE)) {
      select.setObject(1, day);
      select.setString(2, requestId);
      select.setObject(3, day);
      select.setString(4, requestId);
      select.setObject(5, its);
      select.setObject(6, its);
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? Optional.of(read(connection, row)) : Optional.empty();
      }
    }
  }

  /**
   * Computes the charge of a request again, by the prices that were applied; empty if nothing was
   * charged.
   *
   * @param isForOperator false if the operator's own cost must not show
   */
  public Optional<ChargeArithmetic> arithmetic(RequestDetail of, boolean isForOperator)
      throws SQLException {
    Charge charge = of.charge();
    if (charge == null || charge.costMicro() == 0) {
      return Optional.empty();
    }
    PricedRecord record = of.pricedRecord();
    Map<String, String> contents =
        record.sheets().isEmpty() ? Map.of() : sheets.contents(record.sheets());
    var settled =
        new SettledCharge(
            new MicroUsd(charge.costMicro()),
            new MicroUsd(charge.reservedMicro()),
            charge.how(),
            Boolean.TRUE.equals(of.row().flags().estimated()),
            isForOperator ? new MicroUsd(of.row().operatorCostMicro()) : MicroUsd.ZERO);
    return Optional.of(ChargeArithmetic.of(record, contents, settled));
  }

  private RequestDetail read(Connection connection, ResultSet row) throws SQLException {
    RequestRow its = RequestViewRows.read(row);
    String text = row.getString("row");
    LocalDate end = its.day().plusDays(daysKept + 1L);
    return new RequestDetail(
        its,
        text == null ? null : RequestLine.of(text),
        text,
        row.getString("priced"),
        row.getString("how") == null ? null : charge(connection, row, its),
        row.getObject("job", UUID.class),
        end.atStartOfDay(ZoneOffset.UTC).toInstant());
  }

  private static Charge charge(Connection connection, ResultSet row, RequestRow of)
      throws SQLException {
    return new Charge(
        SettlementKind.valueOf(row.getString("how").toUpperCase(Locale.ROOT)),
        row.getLong("reserved_micro"),
        of.costMicro(),
        row.getLong("overrun_micro"),
        RequestViewRows.instant(row, "settled_at"),
        scopes(connection, of, row.getInt("held")));
  }

  private static List<Scope> scopes(Connection connection, RequestRow of, int held)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(SCOPES)) {
      select.setObject(1, of.org().value());
      select.setString(2, of.key().value());
      select.setObject(3, of.day());
      try (ResultSet row = select.executeQuery()) {
        List<Scope> scopes = new ArrayList<>();
        while (row.next()) {
          int kind = row.getInt("kind");
          scopes.add(new Scope(kind(kind), row.getString("scope_id"), (held & kind) != 0));
        }
        return scopes;
      }
    }
  }

  private static Scope.Kind kind(int bit) {
    return switch (bit) {
      case 1 -> Scope.Kind.BALANCE;
      case 2 -> Scope.Kind.MONTH;
      case 4 -> Scope.Kind.KEY_DAY;
      case 8 -> Scope.Kind.KEY_MONTH;
      default -> throw new IllegalStateException("no kind of scope: " + bit);
    };
  }
}
