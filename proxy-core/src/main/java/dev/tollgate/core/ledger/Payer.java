package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;

/**
 * API key, organization and window that a request is charged to: its four spending scopes follow
 * from these alone.
 */
public record Payer(OrgId org, KeyId key, Window window) {

  public static Payer of(OrgId org, KeyId key, RequestId request) {
    return new Payer(org, key, Window.at(request.epochMillis()));
  }

  public Scope scope(ScopeKind kind) {
    return Scope.of(kind, org, key, window);
  }
}
