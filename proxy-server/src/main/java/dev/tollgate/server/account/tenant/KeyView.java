package dev.tollgate.server.account.tenant;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.Versioned;
import dev.tollgate.server.account.WireName;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * API key as people and their automation see it, without its secret.
 *
 * @param state active, disabled, expired or revoked
 * @param replacedBy the key that replaced it by rotation
 * @param replaces the key that it replaced
 * @param limits the key's own; null: the gateway's default, 0: off
 * @param effectiveLimits those that act; 0: off
 */
public record KeyView(
    String id,
    String name,
    @Nullable String note,
    String lastFour,
    @OneOf(State.class) String state,
    Instant createdAt,
    Creator createdBy,
    @Nullable Instant expiresAt,
    @Nullable Instant revokedAt,
    @Nullable String replacedBy,
    @Nullable String replaces,
    List<String> allowedModels,
    @OneOf(Modality.class) List<String> allowedModalities,
    List<String> allowedIps,
    Limits limits,
    Limits effectiveLimits,
    @Nullable Long dailyBudgetMicro,
    @Nullable Long monthlyBudgetMicro,
    Spend spend,
    @Nullable Instant lastUsedAt,
    int version)
    implements Versioned {

  /** State of a key as it is shown; expiry follows from the clock. */
  public enum State implements WireName {
    ACTIVE,
    DISABLED,
    EXPIRED,
    REVOKED
  }

  /**
   * Who made a key: a user, a token or the command line.
   *
   * @param id null where it is not known
   */
  public record Creator(
      @OneOf(texts = {"user", "token", "operator", "cli", "system"}) String kind,
      @Nullable String id,
      @Nullable String name) {}

  /** Rates and concurrency of a key. */
  public record Limits(
      @Nullable Integer requestsPerSecond,
      @Nullable Integer requestsPerMinute,
      @Nullable Long tokensPerMinute,
      @Nullable Integer concurrency) {

    /** Returns these limits with the gateway's defaults in the place of those that are null. */
    Limits orElse(LimitRules.PerKey defaults) {
      return new Limits(
          requestsPerSecond == null
              ? Math.toIntExact(defaults.rates().perSecond())
              : requestsPerSecond,
          requestsPerMinute == null
              ? Math.toIntExact(defaults.rates().perMinute())
              : requestsPerMinute,
          tokensPerMinute == null ? (Long) defaults.tokensPerMinute() : tokensPerMinute,
          concurrency == null ? defaults.concurrency() : concurrency);
    }
  }

  /**
   * What the key, and those that it replaced, spent in the running windows.
   *
   * @param reservedMicro held for running requests and the next ones
   */
  public record Spend(
      long todayMicro,
      long monthMicro,
      long reservedMicro,
      Instant dailyResetsAt,
      Instant monthlyResetsAt) {}
}
