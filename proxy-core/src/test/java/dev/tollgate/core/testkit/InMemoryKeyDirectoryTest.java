package dev.tollgate.core.testkit;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.core.tenant.KeyDirectory;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import java.util.UUID;

/** The in-memory directory fulfils the contract of the real one. */
class InMemoryKeyDirectoryTest extends KeyDirectoryContract {
  private final InMemoryKeyDirectory directory = new InMemoryKeyDirectory();

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
    Org org = new Org(new OrgId(UUID.randomUUID()), "org", orgState, null);
    ApiKey key =
        new ApiKey(secret.keyId(), name, secret.lastFour(), org, state, expiry(), scope, limits);
    directory.put(secret.hash(), key);
    return key;
  }

  @Override
  protected void makeUnavailable() {
    directory.fail("gone");
  }
}
