package dev.tollgate.core.api.account;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.ledger.AccountBalance;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.LimitDetails;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.Org;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Creates the JSON reply to GET /v1/key (docs/decisions/models.md#self-service): permissions of the
 * key, and the rest of its budgets.
 */
public final class KeyResponse {
  private KeyResponse() {}

  /**
   * Returns the reply about a key.
   *
   * @param probe query of the key's buckets
   * @param result state of the buckets
   */
  public static JsonBytes of(
      ApiKey key, AccountBalance accountBalance, Acquire probe, AcquireResult result) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("object", "key");
    body.put("id", key.id().value());
    body.put("name", key.name());
    body.put("last_four", key.lastFour());
    body.put("org", org(key.org()));
    body.put("state", key.state().name().toLowerCase(Locale.ROOT));
    Instant expiresAt = key.expiresAt();
    body.put("expires_at", expiresAt == null ? null : expiresAt.toString());
    body.put("allowed_models", key.scope().allowedModels().stream().sorted().toList());
    body.put("allowed_modalities", key.scope().allowedModalities().stream().sorted().toList());
    body.put("allowed_ips", key.scope().allowedIps().stream().sorted().toList());
    body.put("limits", limits(key.limits()));
    body.put("rates", rates(probe, result));
    Map<String, Object> budgets = new LinkedHashMap<>();
    budgets.put("daily", budget(ScopeKind.KEY_DAY, accountBalance));
    budgets.put("monthly", budget(ScopeKind.KEY_MONTH, accountBalance));
    body.put("budgets", budgets);
    return JsonBytes.value(body);
  }

  static Map<String, Object> org(Org org) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("id", org.id().toString());
    tree.put("name", org.name());
    return tree;
  }

  private static Map<String, Object> limits(KeyLimits limits) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("requests_per_second", limits.requestsPerSecond());
    tree.put("requests_per_minute", limits.requestsPerMinute());
    tree.put("tokens_per_minute", limits.tokensPerMinute());
    tree.put("concurrency", limits.concurrency());
    return tree;
  }

  /** Returns the key's rate limits, its own and the defaults; null if their state is unknown. */
  private static @Nullable List<Map<String, Object>> rates(Acquire probe, AcquireResult result) {
    return switch (result) {
      case AcquireResult.AllAcquired taken ->
          IntStream.range(0, probe.buckets().size())
              .mapToObj(n -> LimitDetails.of(probe.buckets().get(n), taken.levels().get(n)))
              .toList();
      case AcquireResult.Refused _, AcquireResult.Unavailable _ -> null;
    };
  }

  private static Map<String, Object> budget(ScopeKind kind, AccountBalance accountBalance) {
    AccountBalance.ScopeBalance sum = accountBalance.balance(kind);
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("limit_micro", micro(sum.limit()));
    tree.put("spent_micro", sum.used().value());
    tree.put("reserved_micro", sum.leased().value());
    tree.put("running_micro", sum.running().value());
    tree.put("settling_micro", sum.settling().value());
    tree.put("remaining_micro", micro(sum.remaining()));
    tree.put("resets_at", accountBalance.window().resetsAt(kind).toString());
    return tree;
  }

  static @Nullable Long micro(@Nullable MicroUsd amount) {
    return amount == null ? null : amount.value();
  }
}
