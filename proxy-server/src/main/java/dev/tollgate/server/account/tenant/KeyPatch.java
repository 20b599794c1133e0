package dev.tollgate.server.account.tenant;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.postgres.tenants.ApiKeys.ApiKeySpec;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Change of an API key; a field that is not given stays.
 *
 * @param allowedModels null or empty: all; the same holds for modalities and addresses
 * @param limits null: they stay
 * @param force true if the scope may name models that no configuration has; null: false
 */
public record KeyPatch(
    Patch<String> name,
    Patch<@Nullable String> note,
    Patch<@Nullable List<String>> allowedModels,
    Patch<@Nullable List<String>> allowedModalities,
    Patch<@Nullable List<String>> allowedIps,
    @Nullable LimitsPatch limits,
    Patch<@Nullable Long> dailyBudgetMicro,
    Patch<@Nullable Long> monthlyBudgetMicro,
    Patch<@Nullable Instant> expiresAt,
    @Nullable Boolean force) {

  /** Change of a key's own limits; null: the gateway's default, 0: off. */
  public record LimitsPatch(
      Patch<@Nullable Integer> requestsPerSecond,
      Patch<@Nullable Integer> requestsPerMinute,
      Patch<@Nullable Long> tokensPerMinute,
      Patch<@Nullable Integer> concurrency) {
    private static final LimitsPatch KEEP =
        new LimitsPatch(Patch.keep(), Patch.keep(), Patch.keep(), Patch.keep());

    private KeyLimits applyTo(
        KeyLimits current, @Nullable MicroUsd dailyBudget, @Nullable MicroUsd monthlyBudget) {
      return new KeyLimits(
          requestsPerSecond.applyToNullable(current.requestsPerSecond()),
          requestsPerMinute.applyToNullable(current.requestsPerMinute()),
          tokensPerMinute.applyToNullable(current.tokensPerMinute()),
          concurrency.applyToNullable(current.concurrency()),
          dailyBudget,
          monthlyBudget);
    }
  }

  /** Change of nothing, from which others are made. */
  public static final KeyPatch KEEP =
      new KeyPatch(
          Patch.keep(),
          Patch.keep(),
          Patch.keep(),
          Patch.keep(),
          Patch.keep(),
          null,
          Patch.keep(),
          Patch.keep(),
          Patch.keep(),
          null);

  LimitsPatch limitsOrKeep() {
    return limits == null ? LimitsPatch.KEEP : limits;
  }

  boolean isForced() {
    return force != null && force;
  }

  /** Returns the key after this change. */
  ApiKeySpec applyTo(ApiKeySpec current) {
    KeyScope scope = current.scope();
    return new ApiKeySpec(
        name.applyTo(current.name()),
        new KeyScope(
            set(allowedModels, scope.allowedModels()),
            set(allowedModalities, scope.allowedModalities()),
            set(allowedIps, scope.allowedIps())),
        limitsOrKeep()
            .applyTo(
                current.limits(),
                money(dailyBudgetMicro, current.limits().dailyBudget()),
                money(monthlyBudgetMicro, current.limits().monthlyBudget())),
        expiresAt.applyToNullable(current.expiresAt()));
  }

  private static Set<String> set(Patch<@Nullable List<String>> patch, Set<String> current) {
    if (!patch.isSet()) {
      return current;
    }
    List<String> values = patch.applyToNullable(null);
    return values == null ? Set.of() : Set.copyOf(values);
  }

  private static @Nullable MicroUsd money(Patch<@Nullable Long> patch, @Nullable MicroUsd current) {
    if (!patch.isSet()) {
      return current;
    }
    Long micro = patch.applyToNullable(null);
    return micro == null ? null : new MicroUsd(micro);
  }
}
