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
 * Everything the log and the metrics say about one request: written once, when it ended. It holds
 * no prompt, no reply and no secret.
 *
 * @param route the endpoint's documented path, or {@code other}
 * @param status the HTTP status sent; 0 where the client left before any
 * @param key null where the caller was not proven
 * @param served null where the request never reached routing
 * @param responseBytes bytes of body given to the connection
 */
public record RequestRecord(
    RequestId id,
    Duration total,
    String clientAddress,
    String method,
    String route,
    int status,
    RequestOutcome outcome,
    @Nullable ErrorCode code,
    @Nullable ApiKey key,
    @Nullable Served served,
    long requestBytes,
    long responseBytes) {

  /**
   * What routing and the providers did.
   *
   * @param provider the one that served, or was last tried; null where none could be
   * @param routing why this provider and no other, as the client was told or would have been
   * @param resumed what became of a stream that was to be continued
   * @param hedged who served where a second provider was tried beside the first
   * @param firstToken from admission to the first content event; null where none came
   * @param upstream time spent waiting for providers
   * @param overhead the rest: what this gateway added
   * @param phases names and nanoseconds since admission, in order
   */
  public record Served(
      ModelId model,
      boolean stream,
      @Nullable ProviderId provider,
      String routing,
      List<AttemptRecord> attempts,
      ResumeOutcome resumed,
      HedgeOutcome hedged,
      Usage usage,
      MicroUsd cost,
      @Nullable Duration firstToken,
      Duration upstream,
      Duration overhead,
      List<PhaseEntry> phases) {

    /** Nobody could be asked. */
    public static Served none(ModelId model, boolean stream, String routing) {
      return unattempted(model, stream, null, routing);
    }

    /** Somebody will be asked, when nobody waits for it any more. */
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
          List.of(),
          ResumeOutcome.NO,
          HedgeOutcome.NO,
          Charge.NOTHING.usage(),
          Charge.NOTHING.cost(),
          null,
          Duration.ZERO,
          Duration.ZERO,
          List.of());
    }
  }

  /**
   * One try at one provider.
   *
   * @param outcome {@code ok}, {@code cancelled} or the name of the failure
   * @param status the provider's HTTP status; 0 where none came
   * @param droppedEvents events of its stream that were no chunks
   * @param anomalies what was odd about its stream, though no failure
   * @param resume how it continued what was delivered; empty where nothing was
   * @param reason what we know of a failure beside that; empty where nothing
   * @param unsent JSON paths of what the provider did not get, because it has nothing like it
   * @param cause why there was another try before it; null: it was the first
   */
  public record AttemptRecord(
      ProviderId provider,
      String outcome,
      int status,
      Duration took,
      long droppedEvents,
      Set<ProtocolAnomaly> anomalies,
      String resume,
      String reason,
      List<String> unsent,
      @Nullable Cause cause) {}

  /**
   * What made a try behind another one necessary.
   *
   * @param provider who was asked before
   * @param reason how that failed, or {@code late}: it went on beside this one
   */
  public record Cause(ProviderId provider, String reason) {
    public static Cause of(NextAttempt.Failed failed) {
      return new Cause(failed.candidate().id(), failed.failure().kind().wire());
    }

    public static Cause late(Candidate candidate) {
      return new Cause(candidate.id(), "late");
    }
  }

  /** When a phase was entered. */
  public record PhaseEntry(String phase, long nanosSinceAdmission) {}
}
