package dev.tollgate.server.wiring;

import dev.tollgate.server.account.tenant.BudgetService;
import dev.tollgate.server.account.tenant.CreditService;
import dev.tollgate.server.account.tenant.KeyService;
import dev.tollgate.server.account.tenant.LedgerList;
import dev.tollgate.server.account.tenant.LimitService;
import dev.tollgate.server.account.tenant.WebhookSecretService;
import dev.tollgate.server.control.route.Handlers;
import dev.tollgate.server.control.route.KeyHandlers;
import dev.tollgate.server.control.route.MoneyHandlers;
import dev.tollgate.server.control.route.WebhookSecretHandlers;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.LimitSettings;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** Wiring of the calls of organizations' keys, money and webhook secrets. */
final class TenantModule {
  private final Store store;
  private final DataSource pool;
  private final ControlModule.Node node;
  private final AccountModule.Services accounts;

  TenantModule(
      Store store, DataSource pool, ControlModule.Node node, AccountModule.Services accounts) {
    this.store = store;
    this.pool = pool;
    this.node = node;
    this.accounts = accounts;
  }

  void addTo(Handlers.Builder handlers) {
    Supplier<LimitSettings> limits = () -> node.configuration().get().settings().limits();
    Runnable onChange = node.onTenantChange();
    KeyHandlers.add(
        handlers,
        new KeyService(
            pool, limits, () -> node.configuration().get().catalog().modelIds(), onChange));
    MoneyHandlers.add(
        handlers,
        new MoneyHandlers.MoneyServices(
            new CreditService(pool, this::limitChanged),
            new LedgerList(pool),
            new BudgetService(pool),
            new LimitService(pool, limits, node.traffic().limitLevels())));
    WebhookSecretHandlers.add(
        handlers,
        new WebhookSecretService(
            pool, store.webhookSecrets(), new OutboxOrgMail(accounts.outbox())));
  }

  private void limitChanged() {
    node.onTenantChange().run();
    accounts.alerts().wakeUp();
  }
}
