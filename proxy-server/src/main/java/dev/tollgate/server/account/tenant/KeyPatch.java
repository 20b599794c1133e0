package dev.tollgate.server.account.tenant;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.postgres.tenants.ApiKeys.ApiKeySpec;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Change of an API key, or the fields of a new one; a field that is not given stays.
 *
 * @param allowedModels null or empty: all; the same holds for modalities and addresses
 * @param force true if the scope may name models that no configuration has
 */
public record KeyPatch(
    Patch<String> name,
    Patch<String> note,
    Patch<List<String>> allowedModels,
    Patch<List<String>> allowedModalities,
    Patch<List<String>> allowedIps,
    LimitsPatch limits,
    Patch<Long> dailyBudgetMicro,
    Patch<Long> monthlyBudgetMicro,
    Patch<Instant> expiresAt,
    boolean force) {

  /** Change of a key's own limits; null: the gateway's default, 0: off. */
  public record LimitsPatch(
      Patch<Integer> requestsPerSecond,
      Patch<Integer> requestsPerMinute,
      Patch<Long> tokensPerMinute,
      Patch<Integer> concurrency) {
    public static final LimitsPatch KEEP =
        new LimitsPatch(Patch.keep(), Patch.keep(), Patch.keep(), Patch.keep());

    private KeyLimits applyTo(
        KeyLimits current, @Nullable MicroUsd dailyBudget, @Nullable MicroUsd monthlyBudget) {
      return new KeyLimits(
          requestsPerSecond.or(current.requestsPerSecond()),
          requestsPerMinute.or(current.requestsPerMinute()),
          tokensPerMinute.or(current.tokensPerMinute()),
          concurrency.or(current.concurrency()),
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
          LimitsPatch.KEEP,
          Patch.keep(),
          Patch.keep(),
          Patch.keep(),
          false);

  /** Returns a change of the name alone. */
  public static KeyPatch named(String name) {
    return KEEP.withName(name);
  }

  /** Returns this change with another name. */
  public KeyPatch withName(String newName) {
    return new KeyPatch(
        Patch.set(newName),
        note,
        allowedModels,
        allowedModalities,
        allowedIps,
        limits,
        dailyBudgetMicro,
        monthlyBudgetMicro,
        expiresAt,
        force);
  }

  /** Returns this change with other budgets. */
  public KeyPatch withBudgets(Patch<Long> daily, Patch<Long> monthly) {
    return new KeyPatch(
        name,
        note,
        allowedModels,
        allowedModalities,
        allowedIps,
        limits,
        daily,
        monthly,
        expiresAt,
        force);
  }

  /** Returns this change with another scope of models. */
  public KeyPatch withModels(List<String> models, boolean isForced) {
    return new KeyPatch(
        name,
        note,
        Patch.set(models),
        allowedModalities,
        allowedIps,
        limits,
        dailyBudgetMicro,
        monthlyBudgetMicro,
        expiresAt,
        isForced);
  }

  /** Returns this change with another expiry. */
  public KeyPatch withExpiry(@Nullable Instant at) {
    return new KeyPatch(
        name,
        note,
        allowedModels,
        allowedModalities,
        allowedIps,
        limits,
        dailyBudgetMicro,
        monthlyBudgetMicro,
        Patch.set(at),
        force);
  }

  /** Returns the key after this change, whose name is given. */
  ApiKeySpec applyTo(ApiKeySpec current) {
    KeyScope scope = current.scope();
    return new ApiKeySpec(
        Objects.requireNonNullElse(name.or(current.name()), ""),
        new KeyScope(
            set(allowedModels, scope.allowedModels()),
            set(allowedModalities, scope.allowedModalities()),
            set(allowedIps, scope.allowedIps())),
        limits.applyTo(
            current.limits(),
            money(dailyBudgetMicro, current.limits().dailyBudget()),
            money(monthlyBudgetMicro, current.limits().monthlyBudget())),
        expiresAt.or(current.expiresAt()));
  }

  private static Set<String> set(Patch<List<String>> patch, Set<String> current) {
    List<String> values = patch.value();
    if (!patch.isGiven()) {
      return current;
    }
    return values == null ? Set.of() : Set.copyOf(values);
  }

  private static @Nullable MicroUsd money(Patch<Long> patch, @Nullable MicroUsd current) {
    Long micro = patch.value();
    if (!patch.isGiven()) {
      return current;
    }
    return micro == null ? null : new MicroUsd(micro);
  }
}
