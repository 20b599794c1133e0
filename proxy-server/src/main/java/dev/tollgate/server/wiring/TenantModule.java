package dev.tollgate.server.wiring;

import dev.tollgate.server.account.tenant.KeyService;
import dev.tollgate.server.control.route.Handlers;
import dev.tollgate.server.control.route.KeyHandlers;
import dev.tollgate.server.postgres.Store;
import javax.sql.DataSource;

/** Wiring of the calls of organizations' keys, money and webhook secrets. */
final class TenantModule {
  private final Store store;
  private final DataSource pool;
  private final ControlModule.Node node;

  TenantModule(Store store, DataSource pool, ControlModule.Node node) {
    this.store = store;
    this.pool = pool;
    this.node = node;
  }

  void addTo(Handlers.Builder handlers) {
    KeyHandlers.add(
        handlers,
        new KeyService(
            pool,
            () -> node.configuration().get().settings().limits(),
            () -> node.configuration().get().catalog(),
            node.onTenantChange()));
  }
}
