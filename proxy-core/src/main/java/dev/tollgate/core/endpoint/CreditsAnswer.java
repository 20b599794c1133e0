package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Standing;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** GET /v1/credits (DECISIONS 4): what the organization of the key that asks has and spent. */
public final class CreditsAnswer {
  private CreditsAnswer() {}

  public static JsonBytes of(ApiKey key, Standing standing) {
    Standing.Sum balance = standing.sum(ScopeKind.ORG);
    Standing.Sum month = standing.sum(ScopeKind.ORG_MONTH);
    MicroUsd paidIn = Objects.requireNonNullElse(balance.limit(), MicroUsd.ZERO);
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("object", "credits");
    body.put("org", KeyAnswer.org(key.org()));
    body.put("balance_micro", paidIn.minus(balance.used()).value());
    body.put("reserved_micro", balance.leased().value());
    body.put("monthly_limit_micro", KeyAnswer.micro(month.limit()));
    body.put("monthly_spent_micro", month.used().value());
    body.put("monthly_reserved_micro", month.leased().value());
    body.put("monthly_resets_at", standing.window().resetsAt(ScopeKind.ORG_MONTH).toString());
    return JsonBytes.value(body);
  }
}
