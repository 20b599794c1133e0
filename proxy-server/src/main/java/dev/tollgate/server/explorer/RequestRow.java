package dev.tollgate.server.explorer;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import java.time.Instant;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * Row of the request view: one request, without its details.
 *
 * @param at time of the request
 * @param status HTTP status; null where the request log has no line
 * @param outcome outcome as the request log names it, or one of {@link OutcomeClass}
 * @param operatorCostMicro cost to the operator: the charge where nothing else was recorded
 */
public record RequestRow(
    LocalDate day,
    String requestId,
    OrgId org,
    KeyId key,
    Instant at,
    @Nullable String endpoint,
    @Nullable String model,
    @Nullable String provider,
    @Nullable Integer status,
    String outcome,
    @Nullable String code,
    @Nullable String clientIp,
    Flags flags,
    int attempts,
    Timing timing,
    Tokens tokens,
    long costMicro,
    long operatorCostMicro) {

  /** Yes-or-no properties of a request; null where the request log does not say. */
  public record Flags(
      @Nullable Boolean stream,
      @Nullable Boolean estimated,
      boolean fallback,
      boolean resumed,
      boolean hedged) {}

  /** Durations of a request; null where they do not apply. */
  public record Timing(
      @Nullable Integer totalMs,
      @Nullable Integer ttftMs,
      @Nullable Integer overheadUs,
      @Nullable Integer upstreamMs) {
    static final Timing NONE = new Timing(null, null, null, null);
  }

  /** Tokens of a request; cached are among the prompt's. */
  public record Tokens(long prompt, long completion, long cached, long reasoning) {
    static final Tokens NONE = new Tokens(0, 0, 0, 0);
  }

  /** Returns the rate of completion tokens from the first content to the end; null without one. */
  public @Nullable Double outputTokensPerSecond() {
    Integer total = timing.totalMs();
    Integer first = timing.ttftMs();
    if (total == null || first == null || total <= first || tokens.completion() == 0) {
      return null;
    }
    return tokens.completion() * 1_000.0 / (total - first);
  }
}
