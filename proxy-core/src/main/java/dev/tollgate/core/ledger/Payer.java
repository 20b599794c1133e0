package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.tenant.ApiKey;

/**
 * API key, organization and window that a request is charged to: its four spending scopes follow
 * from these alone.
 *
 * @param lineage the first of the keys that replaced one another, which owns their budget windows
 */
public record Payer(OrgId org, KeyId key, KeyId lineage, Window window) {

  /** Payer whose key replaced none. */
  public Payer(OrgId org, KeyId key, Window window) {
    this(org, key, key, window);
  }

  public static Payer of(ApiKey key, RequestId request) {
    return new Payer(key.org().id(), key.id(), key.lineage(), Window.at(request.epochMillis()));
  }

  public Scope scope(ScopeKind kind) {
    return Scope.of(kind, org, lineage, window);
  }

  public Payer in(Window other) {
    return new Payer(org, key, lineage, other);
  }
}
