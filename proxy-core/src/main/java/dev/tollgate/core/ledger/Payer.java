package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;

/** Whose money a request spends, and in which windows: its four scopes follow from this alone. */
public record Payer(OrgId org, KeyId key, Window window) {

  public static Payer of(OrgId org, KeyId key, RequestId request) {
    return new Payer(org, key, Window.at(request.epochMillis()));
  }

  public Scope scope(ScopeKind kind) {
    return Scope.of(kind, org, key, window);
  }
}
