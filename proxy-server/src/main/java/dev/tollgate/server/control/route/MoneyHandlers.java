package dev.tollgate.server.control.route;

import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.Page.Slice;
import dev.tollgate.server.account.tenant.BudgetService;
import dev.tollgate.server.account.tenant.CreditService;
import dev.tollgate.server.account.tenant.CreditService.SpendingLimit;
import dev.tollgate.server.account.tenant.LedgerList;
import dev.tollgate.server.account.tenant.LedgerList.LedgerLine;
import dev.tollgate.server.account.tenant.LedgerList.LedgerQuery;
import dev.tollgate.server.account.tenant.LimitService;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handlers of the calls of an organization's credits, ledger, budgets and limits. */
public final class MoneyHandlers {
  private MoneyHandlers() {}

  /**
   * Services of an organization's money.
   *
   * @param limits of rates, which are not about money but stop requests too
   */
  public record MoneyServices(
      CreditService credits, LedgerList ledger, BudgetService budgets, LimitService limits) {}

  /** Query of the ledger. */
  record LedgerFilters(
      @Nullable Instant from,
      @Nullable Instant to,
      @OneOf(LedgerList.Kind.class) List<String> kind,
      PageRequest page) {}

  public static void add(Handlers.Builder handlers, MoneyServices of) {
    handlers
        .on(Route.CREDITS, call -> ControlReply.ok(of.credits().credits(call.org())))
        .on(Route.LEDGER, call -> ledger(of.ledger(), call))
        .on(Route.SPENDING_LIMIT, call -> setLimit(of.credits(), call))
        .on(
            Route.BUDGETS,
            call -> ControlReply.ok(new ListPage<>(of.budgets().budgets(call.org()), null)))
        .on(Route.LIMITS, call -> ControlReply.ok(of.limits().limits(call.org())));
  }

  private static ControlReply ledger(LedgerList ledger, ControlRequest call) throws SQLException {
    LedgerFilters filters = call.query(LedgerFilters.class);
    PageRequest page = filters.page();
    var query = new LedgerQuery(filters.from(), filters.to(), filters.kind());
    Slice<LedgerLine> lines = ledger.list(call.org(), query, page.part());
    return ControlReply.ok(new ListPage<>(lines.data(), page.nextOrNull(lines.next())));
  }

  private static ControlReply setLimit(CreditService credits, ControlRequest call)
      throws SQLException {
    SpendingLimit wish = call.body(SpendingLimit.class);
    return ControlReply.ok(credits.setSpendingLimit(call.org(), wish));
  }
}
