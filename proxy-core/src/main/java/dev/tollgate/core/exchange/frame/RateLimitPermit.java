package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.LimitFault;
import dev.tollgate.core.limit.LimitFields;
import dev.tollgate.core.limit.LimitPermit;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.LimitRules.AcquirePlan;
import dev.tollgate.core.limit.Limits;
import dev.tollgate.core.limit.RefusalCache;
import dev.tollgate.core.tenant.ApiKey;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Rate-limit permit of one request, which counts it in its limits: acquired once, ended once.
 * Loop-confined.
 */
public final class RateLimitPermit {
  private static final Verdict GRANTED = new Verdict.Granted();

  private final Limits limits;
  private final RequestLoop loop;
  private @Nullable LimitPermit permit;
  private List<FieldLines> fields = List.of();

  public RateLimitPermit(Limits limits, RequestLoop loop) {
    this.limits = limits;
    this.loop = loop;
  }

  /** Result of an acquisition. */
  public sealed interface Verdict {
    /** The permit is held until {@link RateLimitPermit#end}. */
    record Granted() implements Verdict {}

    record Refused(Fault fault, RequestOutcome outcome) implements Verdict {}
  }

  /**
   * Acquires what the request needs of its limits.
   *
   * @param asked the model that the client named
   */
  public void acquire(
      ExchangeRequest request, InferenceCall call, ModelId asked, Consumer<Verdict> whenKnown) {
    long tokens = call.request().tokensEstimated(call.model());
    ModelId counted = call.model().id().equals(asked) ? asked : null;
    acquire(request, counted, tokens, whenKnown);
  }

  /**
   * Acquires a given number of tokens.
   *
   * @param counted the model whose limit counts the request; null if a fallback will count it
   */
  public void acquire(
      ExchangeRequest request,
      @Nullable ModelId counted,
      long tokens,
      Consumer<Verdict> whenKnown) {
    loop.check();
    LimitRules rules = limits.rules().get();
    switch (limits.plan(rules, request.id(), request.key(), counted, tokens)) {
      case AcquirePlan.NotLimited _ -> whenKnown.accept(GRANTED);
      case AcquirePlan.NeverFits never -> {
        // A probe: the client gets the key's current limits as with any other refusal.
        Acquire probe = rules.probe(request.id(), request.key());
        limits
            .counters()
            .acquire(
                probe,
                loop.eventLoop(),
                loop.guarded(result -> whenKnown.accept(verdict(never, probe, result))));
      }
      case AcquirePlan.Required of -> {
        // The time before it was counted, so that no refusal is cached for longer than the wait.
        var context = new AcquireContext(request.key(), rules, loop.now());
        Acquire acquire = of.acquire();
        limits
            .counters()
            .acquire(
                acquire,
                loop.eventLoop(),
                loop.guarded(result -> whenKnown.accept(verdict(context, acquire, result))));
      }
    }
  }

  /**
   * Counts the request in the limit of a model that it falls back to. That is not undone at the
   * end, and a refusal is not reported to the client.
   */
  public void acquireForFallback(
      ExchangeRequest request, ModelId model, Consumer<Verdict> whenKnown) {
    loop.check();
    RequestId name = RequestId.at(request.id().epochMillis());
    switch (limits.rules().get().planFallback(name, model)) {
      case AcquirePlan.NotLimited _ -> whenKnown.accept(GRANTED);
      case AcquirePlan.NeverFits never -> throw new IllegalStateException("no tokens of " + never);
      case AcquirePlan.Required of ->
          limits
              .counters()
              .acquire(
                  of.acquire(),
                  loop.eventLoop(),
                  loop.guarded(
                      result -> whenKnown.accept(fallbackVerdict(model, of.acquire(), result))));
    }
  }

  private Verdict fallbackVerdict(ModelId model, Acquire acquire, AcquireResult result) {
    return switch (result) {
      case AcquireResult.AllAcquired _ -> {
        limits.counters().end(acquire, 0);
        yield GRANTED;
      }
      case AcquireResult.Refused refused ->
          fallbackSkipped(model, LimitFault.of(acquire, refused), RequestOutcome.REJECTED);
      case AcquireResult.Unavailable _ ->
          fallbackSkipped(model, LimitFault.unavailable(), RequestOutcome.DEPENDENCY_DOWN);
    };
  }

  private Verdict fallbackSkipped(ModelId model, Fault fault, RequestOutcome outcome) {
    limits.observer().fallbackSkipped(model, fault);
    return new Verdict.Refused(fault, outcome);
  }

  private record AcquireContext(ApiKey key, LimitRules rules, long nanos) {}

  private Verdict verdict(AcquireContext context, Acquire acquire, AcquireResult result) {
    return switch (result) {
      case AcquireResult.AllAcquired taken -> {
        permit = new LimitPermit(limits.counters(), acquire);
        fields = LimitFields.of(acquire, taken.levels());
        yield GRANTED;
      }
      case AcquireResult.Refused refused -> {
        fields = LimitFields.of(acquire, refused.levels());
        Fault fault = LimitFault.of(acquire, refused);
        remember(context, fault, LimitFault.guaranteedWaitMicros(acquire, refused));
        yield refused(fault, RequestOutcome.REJECTED);
      }
      case AcquireResult.Unavailable _ ->
          refused(LimitFault.unavailable(), RequestOutcome.DEPENDENCY_DOWN);
    };
  }

  private Verdict verdict(AcquirePlan.NeverFits never, Acquire probe, AcquireResult result) {
    switch (result) {
      case AcquireResult.AllAcquired taken -> fields = LimitFields.of(probe, taken.levels());
      case AcquireResult.Refused refused -> fields = LimitFields.of(probe, refused.levels());
      case AcquireResult.Unavailable _ -> {} // the request never fits in any case
    }
    return refused(LimitFault.neverFits(never.bucket(), never.tokens()), RequestOutcome.REJECTED);
  }

  private void remember(AcquireContext context, Fault fault, long micros) {
    if (micros > 0) {
      long untilNanos = context.nanos + TimeUnit.MICROSECONDS.toNanos(micros);
      var cached = new RefusalCache.CachedRefusal(fault, fields);
      limits.refusals().remember(context.key, context.rules, cached, context.nanos, untilNanos);
    }
  }

  private Verdict refused(Fault fault, RequestOutcome outcome) {
    limits.observer().refused(fault);
    return new Verdict.Refused(fault, outcome);
  }

  /**
   * Frees the concurrency slot and corrects the token estimate; called before the last byte of the
   * reply is sent.
   */
  public void end(long tokensUsed) {
    LimitPermit current = permit;
    permit = null;
    if (current != null) {
      current.end(tokensUsed);
    }
  }

  /** Adds the fields with the key's current limits to {@code reply}, if it has limits. */
  public List<FieldLines> appendTo(List<FieldLines> reply) {
    for (int n = 0; n < fields.size(); n++) {
      reply.add(fields.get(n));
    }
    return reply;
  }
}
