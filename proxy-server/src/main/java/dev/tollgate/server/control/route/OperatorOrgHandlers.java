package dev.tollgate.server.control.route;

import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Page.Slice;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.ShownOrgState;
import dev.tollgate.server.account.org.OperatorOrgs;
import dev.tollgate.server.account.org.OperatorOrgs.OperatorNewOrg;
import dev.tollgate.server.account.org.OperatorOrgs.OperatorOrgPatch;
import dev.tollgate.server.account.org.OperatorOrgs.OrgEntry;
import dev.tollgate.server.account.org.OperatorOrgs.OrgQuery;
import dev.tollgate.server.account.org.OperatorOrgs.OrgSort;
import dev.tollgate.server.account.org.OrgView;
import dev.tollgate.server.account.tenant.CreditService;
import dev.tollgate.server.account.tenant.CreditService.Booked;
import dev.tollgate.server.account.tenant.CreditService.Booking;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Handlers of the calls of operators about organizations and their credits. */
public final class OperatorOrgHandlers {
  private final DataSource pool;
  private final OperatorOrgs orgs;
  private final CreditService credits;

  private OperatorOrgHandlers(DataSource pool, OperatorOrgs orgs, CreditService credits) {
    this.pool = pool;
    this.orgs = orgs;
    this.credits = credits;
  }

  /**
   * Query of a list of organizations.
   *
   * @param q the begin of a name, or the id
   */
  record OrgFilters(
      @OneOf(ShownOrgState.class) List<String> state,
      @Nullable String q,
      @Nullable OrgSort sort,
      PageRequest page) {
    OrgQuery query() {
      return new OrgQuery(state, q, sort == null ? OrgSort.NAME : sort);
    }
  }

  /**
   * Row of a list of organizations.
   *
   * @param monthMicro what it spent in the running month
   * @param owner address of the owner who joined first
   */
  record OrgRow(
      UUID id,
      String name,
      @Nullable String displayName,
      @OneOf(ShownOrgState.class) String state,
      Instant createdAt,
      OrgView.KeyCount keys,
      @Nullable Long monthlyLimitMicro,
      @Nullable Long monthlyLimitCapMicro,
      OrgView.Policy keyPolicy,
      int version,
      long balanceMicro,
      long monthMicro,
      @Nullable String owner) {
    static OrgRow of(OrgEntry entry) {
      OrgView org = entry.organization();
      return new OrgRow(
          org.id(),
          org.name(),
          org.displayName(),
          org.state(),
          org.createdAt(),
          org.keys(),
          org.monthlyLimitMicro(),
          org.monthlyLimitCapMicro(),
          org.keyPolicy(),
          org.version(),
          entry.balanceMicro(),
          entry.monthMicro(),
          entry.owner());
    }
  }

  /**
   * Adds the handlers.
   *
   * @param pool where access to an organization is looked up
   */
  public static void add(
      Handlers.Builder handlers, DataSource pool, OperatorOrgs orgs, CreditService credits) {
    var calls = new OperatorOrgHandlers(pool, orgs, credits);
    handlers
        .on(Route.OPERATOR_ORGS, calls::list)
        .on(Route.OPERATOR_ORG_CREATE, calls::create)
        .on(Route.OPERATOR_ORG_CHANGE, calls::change)
        .on(Route.CREDITS_BOOK, calls::book);
  }

  private ControlReply list(ControlRequest call) throws SQLException {
    OrgFilters filters = call.query(OrgFilters.class);
    Slice<OrgEntry> found = orgs.list(call.caller(), filters.query(), filters.page().part());
    List<OrgRow> rows = found.data().stream().map(OrgRow::of).toList();
    return ControlReply.ok(new ListPage<>(rows, filters.page().nextOrNull(found.next())));
  }

  private ControlReply create(ControlRequest call) throws SQLException {
    return ControlReply.created(
        orgs.create(call.caller(), call.body(OperatorNewOrg.class), call.claim()));
  }

  private ControlReply change(ControlRequest call) throws SQLException {
    OperatorOrgPatch patch = call.body(OperatorOrgPatch.class);
    return OrgHandlers.shown(orgs.change(access(call), patch, call.meta().expectedVersion()));
  }

  private ControlReply book(ControlRequest call) throws SQLException {
    Booking booking = call.body(Booking.class);
    if (booking.reason() == null) {
      throw Refused.invalid("reason", "is missing");
    }
    Booked booked = credits.book(access(call), booking, call.claim());
    return booked.booked() ? ControlReply.created(booked) : ControlReply.ok(booked);
  }

  private OrgAccess access(ControlRequest call) throws SQLException {
    return OrgAccess.of(pool, call.caller(), call.path().org());
  }
}
