package dev.tollgate.server.explorer;

import dev.tollgate.server.explorer.RequestRow.Timing;
import dev.tollgate.server.explorer.RequestRow.Tokens;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Line of the request log: what the gateway wrote of one request, without its ids. Members that the
 * line lacks are null, empty or zero.
 *
 * @param param JSON path of the field that the error is about
 * @param routing the value of {@code X-LLM-Routing-Reason}
 */
public record RequestLine(
    @Nullable String endpoint,
    @Nullable Integer status,
    @Nullable String outcome,
    @Nullable String code,
    @Nullable String param,
    @Nullable String clientIp,
    @Nullable String model,
    @Nullable String provider,
    @Nullable String routing,
    @Nullable Boolean stream,
    @Nullable Boolean estimated,
    Timing timing,
    Tokens tokens,
    long costMicro,
    @Nullable Long operatorCostMicro,
    List<Attempt> attempts,
    List<Phase> phases,
    long requestBytes,
    long responseBytes) {

  /** Outcome of an attempt that lost against another one that began beside it. */
  private static final String CANCELLED = "cancelled";

  static final RequestLine EMPTY = new RequestLineReader().line();

  public RequestLine {
    attempts = List.copyOf(attempts);
    phases = List.copyOf(phases);
  }

  /**
   * Attempt at a provider, in the order in which they ended.
   *
   * @param atMs when it began, since the request came; null in lines that do not tell
   * @param resume how it continued a stream; empty if it did not
   * @param reason what more is known of a failure
   * @param dropped members of the request that the provider did not get as they were sent
   */
  public record Attempt(
      String provider,
      String outcome,
      int status,
      @Nullable Double atMs,
      double ms,
      String resume,
      String reason,
      int droppedEvents,
      int resent,
      String anomalies,
      List<String> dropped) {
    public Attempt {
      dropped = List.copyOf(dropped);
    }
  }

  /** Phase of the request, and when it was entered. */
  public record Phase(String phase, double atMs) {}

  /** True if another provider than the first one that was asked served. */
  boolean isFallback() {
    return provider != null
        && !attempts.isEmpty()
        && attempts.stream().anyMatch(each -> !each.provider().equals(provider) && !lost(each));
  }

  boolean isResumed() {
    return attempts.stream().anyMatch(each -> !each.resume().isEmpty());
  }

  boolean isHedged() {
    return attempts.stream().anyMatch(RequestLine::lost);
  }

  private static boolean lost(Attempt attempt) {
    return attempt.outcome().equals(CANCELLED);
  }
}
