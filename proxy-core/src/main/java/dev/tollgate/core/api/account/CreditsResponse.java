package dev.tollgate.core.api.account;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.ledger.AccountBalance;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Creates the JSON reply to GET /v1/credits (docs/decisions/models.md#self-service): balance and
 * spending of the key's organization.
 */
public final class CreditsResponse {
  private CreditsResponse() {}

  public static JsonBytes of(ApiKey key, AccountBalance accountBalance) {
    AccountBalance.ScopeBalance balance = accountBalance.balance(ScopeKind.ORG);
    AccountBalance.ScopeBalance month = accountBalance.balance(ScopeKind.ORG_MONTH);
    MicroUsd paidIn = Objects.requireNonNullElse(balance.limit(), MicroUsd.ZERO);
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("object", "credits");
    body.put("org", KeyResponse.org(key.org()));
    body.put("balance_micro", paidIn.minus(balance.used()).value());
    body.put("reserved_micro", balance.leased().value());
    body.put("monthly_limit_micro", KeyResponse.micro(month.limit()));
    body.put("monthly_spent_micro", month.used().value());
    body.put("monthly_reserved_micro", month.leased().value());
    body.put("monthly_resets_at", accountBalance.window().resetsAt(ScopeKind.ORG_MONTH).toString());
    return JsonBytes.value(body);
  }
}
