package dev.tollgate.core.tenant;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.ModelGlob;
import dev.tollgate.core.money.MicroUsd;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * API key as read from the key store: its organization, state, scope and limits, without the
 * secret. Immutable; shared by all event loops.
 *
 * @param lineage the first of the keys that replaced one another by rotation up to this one, which
 *     share their budget windows (docs/decisions/money.md#windows); the key itself if it replaced
 *     none
 * @param lastFour the secret's last four characters, for logs and lists
 * @param expiresAt the instant from which the key is refused; null means never
 */
public record ApiKey(
    KeyId id,
    KeyId lineage,
    String name,
    String lastFour,
    Org org,
    KeyState state,
    @Nullable Instant expiresAt,
    KeyScope scope,
    KeyLimits limits) {

  /** Key that replaced none. */
  public ApiKey(
      KeyId id,
      String name,
      String lastFour,
      Org org,
      KeyState state,
      @Nullable Instant expiresAt,
      KeyScope scope,
      KeyLimits limits) {
    this(id, id, name, lastFour, org, state, expiresAt, scope, limits);
  }

  /**
   * Models, modalities and client addresses that a key is restricted to
   * (docs/decisions/keys.md#scope). An empty set means everything.
   *
   * @param allowedModels model ids in full, or patterns of them ({@link ModelGlob})
   * @param allowedModalities wire names of modalities, such as {@code chat}
   * @param allowedIps addresses or CIDR blocks
   */
  public record KeyScope(
      Set<String> allowedModels, Set<String> allowedModalities, Set<String> allowedIps) {
    public static final KeyScope ALL = new KeyScope(Set.of(), Set.of(), Set.of());

    public KeyScope {
      allowedModels = Set.copyOf(allowedModels);
      allowedModalities = Set.copyOf(allowedModalities);
      allowedIps = Set.copyOf(allowedIps);
    }

    /** True if the scope has the id of a model, which need not exist. */
    public boolean allowsModel(String id) {
      if (allowedModels.isEmpty() || allowedModels.contains(id)) {
        return true;
      }
      for (String allowed : allowedModels) {
        if (ModelGlob.matches(allowed, id)) {
          return true;
        }
      }
      return false;
    }

    /** True if the scope has a modality, given by its wire name. */
    public boolean allowsModality(String modality) {
      return allowedModalities.isEmpty() || allowedModalities.contains(modality);
    }
  }

  /**
   * The key's own limits (docs/decisions/keys.md#limits); null means the configured default, 0 off.
   */
  public record KeyLimits(
      @Nullable Integer requestsPerSecond,
      @Nullable Integer requestsPerMinute,
      @Nullable Long tokensPerMinute,
      @Nullable Integer concurrency,
      @Nullable MicroUsd dailyBudget,
      @Nullable MicroUsd monthlyBudget) {
    public static final KeyLimits DEFAULT = new KeyLimits(null, null, null, null, null, null);

    /** Returns these rates with other budgets. */
    public KeyLimits withBudgets(@Nullable MicroUsd daily, @Nullable MicroUsd monthly) {
      return new KeyLimits(
          requestsPerSecond, requestsPerMinute, tokensPerMinute, concurrency, daily, monthly);
    }
  }
}
