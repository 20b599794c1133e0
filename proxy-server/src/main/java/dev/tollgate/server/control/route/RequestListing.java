package dev.tollgate.server.control.route;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.explorer.OutcomeClass;
import dev.tollgate.server.explorer.RequestRow;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Page of requests.
 *
 * @param nextCursor null if all requests of the filters were looked at
 * @param asOf everything that was written before is in the list
 * @param scannedTo all requests of the filters since this time were looked at
 * @param refused counts by code of the refusals that are not listed
 */
record RequestListing(
    List<Row> data,
    @Nullable String nextCursor,
    Instant asOf,
    Instant scannedTo,
    Map<String, Long> refused) {

  /**
   * Key of a request, with its name.
   *
   * @param name null if the key is gone
   */
  record KeyName(KeyId id, @Nullable String name) {
    static KeyName of(KeyId id, Map<String, String> names) {
      return new KeyName(id, names.get(id.value()));
    }
  }

  /** One request. */
  record Row(
      String requestId,
      Instant at,
      KeyName key,
      @Nullable String endpoint,
      @Nullable String model,
      @Nullable String provider,
      @Nullable Integer status,
      @OneOf(
              value = RequestOutcome.class,
              texts = {OutcomeClass.CRASH, OutcomeClass.UNKNOWN})
          String outcome,
      @OneOf(ErrorCode.class) @Nullable String code,
      @Nullable Boolean stream,
      long promptTokens,
      long completionTokens,
      long cachedTokens,
      long reasoningTokens,
      @Nullable Boolean estimated,
      long costMicro,
      @Nullable Integer totalMs,
      @Nullable Integer ttftMs,
      @Nullable Double overheadMs,
      @Nullable Integer upstreamMs,
      @Nullable Double outputTokensPerSecond,
      int attempts,
      boolean fallback,
      boolean resumed,
      boolean hedged,
      @Nullable String clientIp) {

    static Row of(RequestRow row, Map<String, String> names) {
      return new Row(
          row.requestId(),
          row.at(),
          KeyName.of(row.key(), names),
          row.endpoint(),
          row.model(),
          row.provider(),
          row.status(),
          row.outcome(),
          row.code(),
          row.flags().stream(),
          row.tokens().prompt(),
          row.tokens().completion(),
          row.tokens().cached(),
          row.tokens().reasoning(),
          row.flags().estimated(),
          row.costMicro(),
          row.timing().totalMs(),
          row.timing().ttftMs(),
          millis(row.timing().overheadUs()),
          row.timing().upstreamMs(),
          row.outputTokensPerSecond(),
          row.attempts(),
          row.flags().fallback(),
          row.flags().resumed(),
          row.flags().hedged(),
          row.clientIp());
    }
  }

  static @Nullable Double millis(@Nullable Integer micros) {
    return micros == null ? null : micros / 1_000.0;
  }
}
