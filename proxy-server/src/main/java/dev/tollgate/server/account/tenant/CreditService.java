package dev.tollgate.server.account.tenant;

import dev.tollgate.core.fault.Fault.Issue;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.account.AccountTransactions;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.IdempotencyClaim.Effect;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.tenant.CreditsView.Monthly;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import dev.tollgate.server.postgres.tenants.Credits;
import dev.tollgate.server.postgres.tenants.Credits.EntryKind;
import dev.tollgate.server.postgres.tenants.Credits.Grant;
import dev.tollgate.server.postgres.tenants.Credits.NewEntry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Service of an organization's balance and spending limit. */
public final class CreditService {
  private static final int REF_CHARS_MAX = 200;

  /** Begin of the reference of an entry that takes another back. */
  private static final String REVOCATION = "revoke:";

  private static final int REASON_CHARS_MAX = 500;
  private static final int ALERTS_MAX = 10;
  private static final int ALERT_PERCENT_MAX = 100;

  private static final String SELECT =
      """
      SELECT o.monthly_limit_micro, o.monthly_limit_cap_micro, o.alerts, o.alert_below_micro,
             now.at, now.day,
             coalesce(b.limit_micro, 0) - coalesce(b.used_micro, 0) AS balance_micro,
             coalesce(b.leased_micro, 0) AS reserved_micro,
             coalesce(m.used_micro, 0) AS month_micro,
             coalesce(m.leased_micro, 0) AS month_reserved_micro
        FROM organization o
       CROSS JOIN (SELECT t.at, to_char(t.at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day
                     FROM (SELECT ledger_now() AS at OFFSET 0) t) now
        LEFT JOIN scope_account b ON b.scope_id = ('org:' || o.id) COLLATE "C"
        LEFT JOIN scope_account m
          ON m.scope_id = ('orgm:' || o.id || ':' || left(now.day, 7)) COLLATE "C"
       WHERE o.id = ?""";

  private final DataSource pool;
  private final Runnable onChange;

  /**
   * @param onChange called after each commit of a limit
   */
  public CreditService(DataSource pool, Runnable onChange) {
    this.pool = pool;
    this.onChange = onChange;
  }

  /**
   * Change of the spending limit and of when people are alerted.
   *
   * @param monthlyLimitMicro null: none
   */
  public record SpendingLimit(
      Patch<@Nullable Long> monthlyLimitMicro,
      Patch<List<Integer>> alerts,
      Patch<@Nullable Long> alertBelowMicro) {}

  /**
   * Entry to book.
   *
   * @param ref identifies the entry; it is booked once, however often it is sent
   */
  public record Booking(EntryKind kind, long amountMicro, String ref, @Nullable String reason) {}

  /**
   * Entry that was booked, or was before.
   *
   * @param booked true if this call booked it
   */
  public record Booked(boolean booked, String ref, long amountMicro, long balanceMicro) {}

  public CreditsView credits(OrgAccess access) throws SQLException {
    access.require(Permission.ORG_READ);
    try (Connection connection = pool.getConnection()) {
      return credits(connection, access.org());
    }
  }

  private static CreditsView credits(Connection connection, OrgId org) throws SQLException {
    return Statements.first(connection, SELECT, CreditService::read, org.value())
        .orElseThrow(Refused::notFound);
  }

  private static CreditsView read(ResultSet row) throws SQLException {
    long balance = row.getLong("balance_micro");
    long reserved = row.getLong("reserved_micro");
    var window = new Window(LocalDate.parse(row.getString("day")));
    return new CreditsView(
        balance,
        reserved,
        balance - reserved,
        new Monthly(
            Statements.number(row, "monthly_limit_micro"),
            Statements.number(row, "monthly_limit_cap_micro"),
            row.getLong("month_micro"),
            row.getLong("month_reserved_micro"),
            window.resetsAt(ScopeKind.ORG_MONTH)),
        integers(row.getArray("alerts").getArray()),
        Statements.number(row, "alert_below_micro"),
        Statements.requiredInstant(row, "at"));
  }

  private static List<Integer> integers(Object smallints) {
    return Arrays.stream((Short[]) smallints).map(Short::intValue).toList();
  }

  /**
   * Sets the spending limit. It may not be above the operator's cap, and with a cap there is no
   * "none"; a lower one acts within 5 seconds.
   */
  public CreditsView setSpendingLimit(OrgAccess access, SpendingLimit wish) throws SQLException {
    access.require(Permission.SPENDING_LIMIT_WRITE);
    requireUsable(wish);
    return AccountTransactions.run(
        pool,
        onChange,
        connection -> {
          access.lock(connection);
          CreditsView before = credits(connection, access.org());
          requireWithinCap(wish.monthlyLimitMicro(), before.monthly().capMicro());
          update(connection, access.org(), wish, before);
          CreditsView after = credits(connection, access.org());
          AuditTrail.write(
              connection,
              access,
              AuditAction.LIMIT_SPENDING,
              access.target(),
              new Change(
                  "monthly_limit_micro",
                  before.monthly().limitMicro(),
                  after.monthly().limitMicro()),
              new Change("alerts", before.alerts(), after.alerts()),
              new Change("alert_below_micro", before.alertBelowMicro(), after.alertBelowMicro()));
          return after;
        });
  }

  private static void requireUsable(SpendingLimit wish) {
    List<Issue> issues = new ArrayList<>();
    requireMicro("monthly_limit_micro", wish.monthlyLimitMicro().applyToNullable(null), issues);
    requireMicro("alert_below_micro", wish.alertBelowMicro().applyToNullable(null), issues);
    List<Integer> alerts = wish.alerts().applyTo(List.of());
    if (alerts.size() > ALERTS_MAX
        || alerts.stream().anyMatch(each -> each < 1 || each > ALERT_PERCENT_MAX)) {
      issues.add(new Issue("alerts", "must be at most " + ALERTS_MAX + " numbers of 1 to 100"));
    }
    if (!issues.isEmpty()) {
      throw Refused.invalid(issues);
    }
  }

  private static void requireMicro(String param, @Nullable Long micro, List<Issue> issues) {
    if (micro != null && (micro < 0 || micro > KeyRules.MICRO_MAX)) {
      issues.add(new Issue(param, "must be 0 to " + KeyRules.MICRO_MAX));
    }
  }

  private static void requireWithinCap(Patch<@Nullable Long> limit, @Nullable Long cap) {
    Long wanted = limit.applyToNullable(null);
    if (limit.isSet() && cap != null && (wanted == null || wanted > cap)) {
      throw Refused.invalid("monthly_limit_micro", RefusalReason.OVER_CAP);
    }
  }

  private static void update(
      Connection connection, OrgId org, SpendingLimit wish, CreditsView before)
      throws SQLException {
    List<Integer> alerts = wish.alerts().applyTo(before.alerts());
    Statements.update(
        connection,
        "UPDATE organization SET monthly_limit_micro = ?, alerts = ?::smallint[],"
            + " alert_below_micro = ? WHERE id = ?",
        wish.monthlyLimitMicro().applyToNullable(before.monthly().limitMicro()),
        alerts.stream().sorted().distinct().map(String::valueOf).toList(),
        wish.alertBelowMicro().applyToNullable(before.alertBelowMicro()),
        org.value());
  }

  /**
   * Books an entry; for operators.
   *
   * @throws Refused 409 if the reference belongs to another entry
   */
  public Booked book(OrgAccess access, Booking booking, IdempotencyClaim claim)
      throws SQLException {
    access.caller().requireOperator();
    requireUsable(booking);
    return Transactions.run(
        pool,
        connection -> {
          claim.begin(connection);
          Booked booked = book(connection, access, booking);
          claim.complete(connection, booked, booked.booked() ? Effect.CREATED : Effect.FOUND);
          return booked;
        });
  }

  /**
   * Takes an entry that added to the balance back, by a refund of its amount with the reference
   * {@code revoke:<its reference>}; for operators. It is booked once, however often it is asked.
   *
   * @param force true if the balance that remains may be below what is reserved, or below zero
   * @throws Refused 404 if the organization has no such entry; 409 if the entry did not add to the
   *     balance, or if more was spent and reserved than would remain
   */
  public Booked revoke(OrgAccess access, String ref, boolean force) throws SQLException {
    access.caller().requireOperator();
    return Transactions.run(
        pool,
        connection -> {
          access.lock(connection);
          long added = Credits.amount(connection, access.org(), ref).orElseThrow(Refused::notFound);
          if (added <= 0) {
            throw Refused.conflict("The entry did not add to the balance.");
          }
          String revocation = REVOCATION + ref;
          boolean isNew = Credits.amount(connection, access.org(), revocation).isEmpty();
          long available = availableOfLocked(connection, access.org());
          if (isNew && added > available && !force) {
            throw Refused.conflict(
                "Only %s USD of the balance are neither spent nor reserved."
                    .formatted(new MicroUsd(available).toUsd()));
          }
          var refund = new Booking(EntryKind.REFUND, -added, revocation, null);
          return book(connection, access, refund);
        });
  }

  /** Locks the balance, so that no node reserves of it meanwhile. */
  private static long availableOfLocked(Connection connection, OrgId org) throws SQLException {
    boolean _ =
        Statements.exists(
            connection,
            "SELECT 1 FROM scope_account WHERE scope_id = ('org:' || ?) COLLATE \"C\""
                + " FOR NO KEY UPDATE",
            org.toString());
    return credits(connection, org).availableMicro();
  }

  private static Booked book(Connection connection, OrgAccess access, Booking booking)
      throws SQLException {
    OrgId org = access.org();
    var entry =
        new NewEntry(
            org,
            booking.kind(),
            new MicroUsd(booking.amountMicro()),
            booking.ref(),
            actor(access.caller()),
            access.caller().reference(),
            booking.reason());
    Grant grant = Credits.record(connection, entry);
    if (grant == Grant.REFERENCE_TAKEN) {
      throw Refused.conflict("The reference belongs to another entry.");
    }
    if (grant == Grant.RECORDED) {
      AuditTrail.write(
          connection,
          access,
          AuditAction.CREDITS_BOOK,
          access.target(),
          new Change("kind", null, booking.kind().wire()),
          new Change("amount_micro", null, booking.amountMicro()),
          new Change("ref", null, booking.ref()),
          new Change("reason", null, booking.reason()));
    }
    return new Booked(
        grant == Grant.RECORDED,
        booking.ref(),
        booking.amountMicro(),
        credits(connection, org).balanceMicro());
  }

  private static void requireUsable(Booking booking) {
    List<Issue> issues = new ArrayList<>();
    long amount = booking.amountMicro();
    boolean isRightSign =
        switch (booking.kind()) {
          case FUNDING -> amount > 0;
          case REFUND -> amount < 0;
          case ADJUSTMENT, WRITE_OFF -> amount != 0;
        };
    if (!isRightSign || Math.abs(amount) > KeyRules.MICRO_MAX) {
      issues.add(new Issue("amount_micro", "must be above 0 for funding, below 0 for a refund"));
    }
    if (booking.ref().isBlank() || booking.ref().length() > REF_CHARS_MAX) {
      issues.add(new Issue("ref", "must have 1 to " + REF_CHARS_MAX + " characters"));
    }
    String reason = booking.reason();
    if (reason != null && (reason.isBlank() || reason.length() > REASON_CHARS_MAX)) {
      issues.add(new Issue("reason", "must have 1 to " + REASON_CHARS_MAX + " characters"));
    }
    if (!issues.isEmpty()) {
      throw Refused.invalid(issues);
    }
  }

  /** Returns who books, in words. */
  private static String actor(Caller caller) {
    return switch (caller.principal()) {
      case Principal.Anonymous _ -> "";
      case Principal.Person person -> person.email();
      case Principal.Token token -> token.name();
      case Principal.Cli _ -> "command line";
    };
  }
}
