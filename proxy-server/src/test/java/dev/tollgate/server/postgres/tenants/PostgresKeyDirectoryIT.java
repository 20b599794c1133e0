package dev.tollgate.server.postgres.tenants;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.core.tenant.KeyDirectory;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import dev.tollgate.core.testkit.KeyDirectoryContract;
import dev.tollgate.server.postgres.SharedPostgres;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The directory in PostgreSQL fulfils the contract. */
@Execution(ExecutionMode.CONCURRENT)
class PostgresKeyDirectoryIT extends KeyDirectoryContract {
  private Store store;
  private KeyDirectory directory;

  @BeforeEach
  void open() throws Exception {
    store = SharedPostgres.newStore();
    directory = store.keyDirectory();
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Override
  protected KeyDirectory directory() {
    return directory;
  }

  @Override
  protected ApiKey add(
      ApiKeyText.ValidKey secret,
      String name,
      KeyScope scope,
      KeyLimits limits,
      KeyState state,
      Org.State orgState) {
    try {
      String orgName = UUID.randomUUID().toString();
      store.organizations().create(orgName, new MicroUsd(7));
      var org = store.organizations().setState(orgName, orgState).orElseThrow();
      var spec = new ApiKeys.ApiKeySpec(name, scope, limits, expiry());
      Transactions.run(
          store.pool(),
          connection ->
              ApiKeys.insert(connection, org.org().id(), spec, ApiKeys.Origin.UNKNOWN, secret));
      switch (state) {
        case ACTIVE -> store.apiKeys().enable(secret.keyId());
        case DISABLED -> store.apiKeys().disable(secret.keyId());
        case REVOKED -> store.apiKeys().revoke(secret.keyId());
      }
      return store.apiKeys().find(secret.keyId()).orElseThrow().key();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  protected void makeUnavailable() {
    store.close();
  }
}
