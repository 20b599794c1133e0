package dev.tollgate.server.control.route;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.OrgAccess;
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
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Handlers of the calls of operators about organizations and their credits. */
public final class OperatorOrgHandlers {
  private OperatorOrgHandlers() {}

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
   * @param monthOperatorCostMicro what the operator paid for that
   * @param monthMarginMicro what the operator keeps; below 0: the operator paid more
   * @param owner address of the owner who joined first
   */
  record OrgRow(
      @JsonUnwrapped OrgView organization,
      long balanceMicro,
      long monthMicro,
      long monthOperatorCostMicro,
      long monthMarginMicro,
      @Nullable String owner) {
    static OrgRow of(OrgEntry entry) {
      return new OrgRow(
          entry.organization(),
          entry.balanceMicro(),
          entry.monthMicro(),
          entry.monthOperatorCostMicro(),
          entry.monthMarginMicro(),
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
    handlers
        .replies(Route.OPERATOR_ORGS, call -> list(call, orgs))
        .replies(
            Route.OPERATOR_ORG_CREATE,
            call -> orgs.create(call.caller(), call.body(OperatorNewOrg.class), call.claim()))
        .replies(
            Route.OPERATOR_ORG_CHANGE,
            call -> {
              OperatorOrgPatch patch = call.body(OperatorOrgPatch.class);
              return orgs.change(access(call, pool), patch, call.meta().expectedVersion());
            })
        .on(Route.CREDITS_BOOK, call -> book(call, access(call, pool), credits));
  }

  private static ListPage<OrgRow> list(ControlRequest call, OperatorOrgs orgs) throws SQLException {
    OrgFilters filters = call.query(OrgFilters.class);
    PageRequest page = filters.page();
    return page.page(orgs.list(call.caller(), filters.query(), page.part()).map(OrgRow::of));
  }

  /** What was booked before is no new object. */
  private static ControlReply book(ControlRequest call, OrgAccess access, CreditService credits)
      throws SQLException {
    Booking booking = call.body(Booking.class);
    if (booking.reason() == null) {
      throw Refused.invalid("reason", "is missing");
    }
    Booked booked = credits.book(access, booking, call.claim());
    return ControlReply.json(booked.booked() ? call.route().status() : 200, booked);
  }

  private static OrgAccess access(ControlRequest call, DataSource pool) throws SQLException {
    return OrgAccess.of(pool, call.caller(), call.path().org());
  }
}
