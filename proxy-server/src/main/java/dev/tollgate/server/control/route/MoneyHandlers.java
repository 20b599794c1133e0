package dev.tollgate.server.control.route;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tollgate.server.account.tenant.BudgetService;
import dev.tollgate.server.account.tenant.CreditService;
import dev.tollgate.server.account.tenant.CreditService.SpendingLimit;
import dev.tollgate.server.account.tenant.LedgerList;
import dev.tollgate.server.account.tenant.LedgerList.LedgerLine;
import dev.tollgate.server.account.tenant.LedgerList.LedgerQuery;
import dev.tollgate.server.account.tenant.LimitService;
import java.sql.SQLException;

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

  /** Query of a page of the ledger. */
  record ListQuery(@JsonUnwrapped LedgerQuery filter, PageRequest page) {}

  public static void add(Handlers.Builder handlers, MoneyServices of) {
    handlers
        .replies(Route.CREDITS, call -> of.credits().credits(call.org()))
        .replies(Route.LEDGER, call -> ledger(call, of.ledger()))
        .replies(
            Route.SPENDING_LIMIT,
            call -> of.credits().setSpendingLimit(call.org(), call.body(SpendingLimit.class)))
        .replies(Route.BUDGETS, call -> new ListPage<>(of.budgets().budgets(call.org()), null))
        .replies(Route.LIMITS, call -> of.limits().limits(call.org()));
  }

  private static ListPage<LedgerLine> ledger(ControlRequest call, LedgerList ledger)
      throws SQLException {
    ListQuery query = call.query(ListQuery.class);
    return query.page().page(ledger.list(call.org(), query.filter(), query.page().part()));
  }
}
