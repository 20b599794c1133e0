package dev.tollgate.server.control.route;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.ErrorType;
import dev.tollgate.core.money.PricedUnit;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.control.route.RequestListing.KeyName;
import dev.tollgate.server.control.route.RequestListing.Row;
import dev.tollgate.server.explorer.ArithmeticNote;
import dev.tollgate.server.explorer.ChargeArithmetic;
import dev.tollgate.server.explorer.ChargeArithmetic.AppliedPrices;
import dev.tollgate.server.explorer.OutcomeClass;
import dev.tollgate.server.explorer.RequestDetail;
import dev.tollgate.server.explorer.RequestDetail.Charge;
import dev.tollgate.server.explorer.RequestLine;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One request with all that is stored of it; neither prompt nor reply is.
 *
 * @param costMicro null until it is charged
 * @param operatorCostMicro cost to the operator; null for everyone else
 * @param routing how the provider was chosen; null if none was
 * @param attempts in the order in which they ended
 * @param keptUntil when the request is deleted
 */
public record RequestReport(
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
    @Nullable Long costMicro,
    @Nullable Long operatorCostMicro,
    @Nullable Integer totalMs,
    @Nullable Integer ttftMs,
    @Nullable Double overheadMs,
    @Nullable Integer upstreamMs,
    @Nullable Double outputTokensPerSecond,
    boolean fallback,
    boolean resumed,
    boolean hedged,
    @Nullable String clientIp,
    @Nullable Map<String, String> routing,
    List<Attempt> attempts,
    List<RequestLine.Phase> phases,
    @Nullable Failure error,
    @Nullable Charge charge,
    @Nullable Arithmetic arithmetic,
    @Nullable Job job,
    Instant keptUntil,
    @Nullable Bytes bytes) {

  /**
   * Attempt at a provider.
   *
   * @param status null if no reply came
   * @param atMs when it began, since the request came; null for old requests
   * @param dropped members of the request that the provider did not get as they were sent
   */
  record Attempt(
      String provider,
      String outcome,
      @Nullable Integer status,
      @Nullable Double atMs,
      double ms,
      @Nullable String reason,
      boolean resumed,
      List<String> dropped,
      AttemptDetails details) {
    static Attempt of(RequestLine.Attempt attempt) {
      return new Attempt(
          attempt.provider(),
          attempt.outcome(),
          attempt.status() == 0 ? null : attempt.status(),
          attempt.atMs(),
          attempt.ms(),
          attempt.reason().isEmpty() ? null : attempt.reason(),
          !attempt.resume().isEmpty(),
          attempt.dropped(),
          new AttemptDetails(
              attempt.droppedEvents(),
              attempt.resent(),
              attempt.anomalies().isEmpty() ? null : attempt.anomalies()));
    }
  }

  /** What else was noticed at an attempt. */
  record AttemptDetails(int droppedEvents, int resent, @Nullable String anomalies) {}

  /** Error that the client got. */
  record Failure(
      @OneOf(ErrorType.class) @Nullable String type,
      @OneOf(ErrorCode.class) String code,
      @Nullable String param) {
    static @Nullable Failure of(@Nullable String code, @Nullable String param) {
      if (code == null) {
        return null;
      }
      String type =
          Arrays.stream(ErrorCode.values())
              .filter(each -> each.wire().equals(code))
              .map(each -> each.type().wire())
              .findFirst()
              .orElse(null);
      return new Failure(type, code, param);
    }
  }

  /** Media job that the request submitted. */
  record Job(UUID id) {}

  /** Sizes of the bodies. */
  record Bytes(long request, long response) {}

  /**
   * Arithmetic of the charge by the prices that were applied.
   *
   * @param pricedAs the prices of each part, from 0
   * @param note what matters most about the charge: partial, overrun, estimate or another name
   * @param notes all that is particular about it, in words
   */
  record Arithmetic(
      List<AppliedPrices> pricedAs,
      List<Line> lines,
      BigInteger totalPico,
      long roundedMicro,
      boolean matches,
      @OneOf(value = ArithmeticNote.class, texts = "estimate") @Nullable String note,
      List<String> notes) {
    static Arithmetic of(ChargeArithmetic charge) {
      return new Arithmetic(
          charge.pricedAs(),
          charge.lines().stream()
              .map(
                  line ->
                      new Line(
                          line.part(),
                          line.unit().wire(),
                          line.quantity(),
                          line.pricePico(),
                          line.pico()))
              .toList(),
          charge.totalPico(),
          charge.rounded().value(),
          charge.matches(),
          note(charge.notes()),
          charge.notes().stream().map(ArithmeticNote::sentence).toList());
    }

    private static @Nullable String note(Set<ArithmeticNote> notes) {
      if (notes.contains(ArithmeticNote.DIFFERS)) {
        return ArithmeticNote.DIFFERS.wire();
      }
      if (notes.contains(ArithmeticNote.PARTIAL) || notes.contains(ArithmeticNote.ABANDONED)) {
        return "partial";
      }
      if (notes.contains(ArithmeticNote.OVERRUN)) {
        return "overrun";
      }
      if (notes.contains(ArithmeticNote.ESTIMATED)) {
        return "estimate";
      }
      return notes.stream().map(ArithmeticNote::wire).findFirst().orElse(null);
    }
  }

  /**
   * One product of the sum.
   *
   * @param part position in the prices
   */
  record Line(
      int part,
      @OneOf(PricedUnit.class) String unit,
      long quantity,
      long pricePico,
      BigInteger pico) {}

  /**
   * Returns the report of a request.
   *
   * @param names names of keys by their ids
   * @param isForOperator true if the reader may know what the operator paid
   */
  public static RequestReport of(
      RequestDetail of,
      @Nullable ChargeArithmetic arithmetic,
      Map<String, String> names,
      boolean isForOperator) {
    Row row = Row.of(of.row(), names);
    RequestLine line = of.line();
    Map<String, String> routing = of.routing();
    UUID job = of.job();
    return new RequestReport(
        row.requestId(),
        row.at(),
        row.key(),
        row.endpoint(),
        row.model(),
        row.provider(),
        row.status(),
        row.outcome(),
        row.code(),
        row.stream(),
        row.promptTokens(),
        row.completionTokens(),
        row.cachedTokens(),
        row.reasoningTokens(),
        row.estimated(),
        isChargedLater(of) ? null : row.costMicro(),
        isForOperator ? of.row().operatorCostMicro() : null,
        row.totalMs(),
        row.ttftMs(),
        row.overheadMs(),
        row.upstreamMs(),
        row.outputTokensPerSecond(),
        row.fallback(),
        row.resumed(),
        row.hedged(),
        row.clientIp(),
        routing.isEmpty() ? null : routing,
        line == null ? List.of() : line.attempts().stream().map(Attempt::of).toList(),
        line == null ? List.of() : line.phases(),
        Failure.of(row.code(), line == null ? null : line.param()),
        of.charge(),
        arithmetic == null ? null : Arithmetic.of(arithmetic),
        job == null ? null : new Job(job),
        of.keptUntil(),
        line == null ? null : new Bytes(line.requestBytes(), line.responseBytes()));
  }

  /** A job is charged when it has ended, anything else at once. */
  private static boolean isChargedLater(RequestDetail of) {
    RequestLine line = of.line();
    return of.charge() == null && (of.job() != null || (line != null && line.costMicro() > 0));
  }
}
