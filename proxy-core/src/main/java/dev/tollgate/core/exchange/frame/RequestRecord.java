package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.NextAttempt;
import dev.tollgate.core.tenant.ApiKey;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Record of one request for the log and the metrics, made once, at its end. It holds no prompt, no
 * reply and no secret.
 *
 * @param param JSON path of the field that the error is about; null if it is about none
 * @param key null if the caller was not authenticated
 * @param served null if the request did not reach routing
 */
public record RequestRecord(
    RequestId id,
    Duration total,
    HttpSummary http,
    RequestOutcome outcome,
    @Nullable ErrorCode code,
    @Nullable String param,
    @Nullable ApiKey key,
    @Nullable Served served) {

  /**
   * HTTP facts of a request and its reply.
   *
   * @param route the endpoint's documented path, or {@code other}
   * @param status the HTTP status sent; 0 if the client disconnected before
   * @param requestBytes number of bytes of the request's body
   * @param responseBytes number of body bytes given to the connection
   */
  public record HttpSummary(
      String clientAddress,
      String method,
      String route,
      int status,
      long requestBytes,
      long responseBytes) {}

  public String route() {
    return http.route();
  }

  public int status() {
    return http.status();
  }

  /**
   * Facts about a request that reached routing: its model, route, attempts, charge and times.
   *
   * @param provider the one that served or was last asked; null if none could be
   * @param routing the routing reason as sent to the client, or as it would have been
   */
  public record Served(
      ModelId model,
      boolean stream,
      @Nullable ProviderId provider,
      String routing,
      AttemptsSummary summary,
      Charge charge,
      Timing timing) {

    /** Returns the record of a request for which no provider could be asked. */
    public static Served none(ModelId model, boolean stream, String routing) {
      return unattempted(model, stream, null, routing);
    }

    /** Returns the record of an accepted job: its provider is called later, in the background. */
    public static Served later(ModelId model, ProviderId provider, String routing) {
      return unattempted(model, false, provider, routing);
    }

    private static Served unattempted(
        ModelId model, boolean stream, @Nullable ProviderId provider, String routing) {
      return new Served(
          model,
          stream,
          provider,
          routing,
          new AttemptsSummary(List.of(), ResumeOutcome.NO, HedgeOutcome.NO),
          Charge.NOTHING,
          new Timing(null, Duration.ZERO, Duration.ZERO, List.of()));
    }

    public List<AttemptRecord> attempts() {
      return summary.attempts();
    }

    public ResumeOutcome resumed() {
      return summary.resumed();
    }

    public HedgeOutcome hedged() {
      return summary.hedged();
    }

    public Usage usage() {
      return charge.usage();
    }

    public MicroUsd cost() {
      return charge.cost();
    }

    /** Returns what the request costs the operator. */
    public MicroUsd operatorCost() {
      return charge.operatorCost();
    }
  }

  /**
   * Attempts of a request, in the order in which they ended.
   *
   * @param resumed outcome of resuming a stream that broke off
   * @param hedged outcome of a second attempt beside the first
   */
  public record AttemptsSummary(
      List<AttemptRecord> attempts, ResumeOutcome resumed, HedgeOutcome hedged) {}

  /**
   * Times of a request.
   *
   * @param firstToken from admission to the first content event; null if none came
   * @param upstream time spent waiting for providers
   * @param overhead the rest: the gateway's own time
   * @param phases names and nanoseconds since admission, in order
   */
  public record Timing(
      @Nullable Duration firstToken,
      Duration upstream,
      Duration overhead,
      List<PhaseEntry> phases) {}

  /**
   * One attempt at one provider.
   *
   * @param droppedEvents events of its stream that were no chunks
   * @param anomalies deviations of its stream from the wire format that were repaired
   * @param resume how it continued what was delivered; empty if nothing was
   * @param resent how often the request was sent again, because its connection had been dead
   * @param unsent JSON paths of what the provider did not get as the client sent it
   * @param cause why it followed another attempt; null for the first
   */
  public record AttemptRecord(
      ProviderId provider,
      Result result,
      long droppedEvents,
      Set<ProtocolAnomaly> anomalies,
      String resume,
      int resent,
      List<String> unsent,
      @Nullable Cause cause) {

    public long nanosSinceAdmission() {
      return result.nanosSinceAdmission();
    }

    public String outcome() {
      return result.outcome();
    }

    public int status() {
      return result.status();
    }

    public Duration took() {
      return result.took();
    }

    /** Returns details of a failure, by the gateway or else by the provider; may be empty. */
    public String reason() {
      return result.reason().isEmpty() ? result.message() : result.reason();
    }

    public String message() {
      return result.message();
    }
  }

  /**
   * Course of an attempt.
   *
   * @param outcome {@code ok}, {@code cancelled} or the name of the failure
   * @param status the provider's HTTP status; 0 if none came
   * @param nanosSinceAdmission when it began
   * @param reason the gateway's details of a failure; empty if there are none
   * @param message what the provider said about a failure of its own; empty if nothing
   */
  public record Result(
      String outcome,
      int status,
      long nanosSinceAdmission,
      Duration took,
      String reason,
      String message) {}

  /**
   * Reason of an attempt that is not the first.
   *
   * @param provider the provider of the attempt before
   * @param reason the failure of that attempt, or {@code late} if it continued beside this one
   */
  public record Cause(ProviderId provider, String reason) {
    public static Cause of(NextAttempt.Failed failed) {
      return new Cause(failed.candidate().id(), failed.failure().kind().wire());
    }

    public static Cause late(Candidate candidate) {
      return new Cause(candidate.id(), "late");
    }
  }

  /** Time at which a phase was entered. */
  public record PhaseEntry(String phase, long nanosSinceAdmission) {}
}
