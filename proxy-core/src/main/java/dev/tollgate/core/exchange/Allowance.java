package dev.tollgate.core.exchange;

import dev.tollgate.core.endpoint.InferenceCall;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Drawn;
import dev.tollgate.core.limit.LimitFault;
import dev.tollgate.core.limit.LimitFields;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.LimitRules.Asked;
import dev.tollgate.core.limit.Limits;
import dev.tollgate.core.limit.Permit;
import dev.tollgate.core.limit.RefusalCache;
import dev.tollgate.core.tenant.ApiKey;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A request's part of the limits: asked for once, ended once. Loop-confined. */
final class Allowance {
  private static final Verdict GRANTED = new Verdict.Granted();

  private final Limits limits;
  private @Nullable Permit permit;
  private List<FieldLines> fields = List.of();

  Allowance(Limits limits) {
    this.limits = limits;
  }

  /** Whether the request may go ahead. */
  sealed interface Verdict {
    /** What was taken is to be given back by {@link Allowance#end}. */
    record Granted() implements Verdict {}

    record Refused(Fault fault, Ending ending) implements Verdict {}
  }

  /**
   * @param guarded runs a step so that a fault of ours does not go unnoticed
   */
  void ask(
      ExchangeRequest request,
      InferenceCall call,
      EventExecutor loop,
      Consumer<Runnable> guarded,
      Consumer<Verdict> whenKnown) {
    long tokens = call.request().tokensEstimated(call.model());
    ModelId first = call.model().id();
    ModelId counted = first.equals(call.request().model()) ? first : null;
    ask(request, counted, tokens, loop, guarded, whenKnown);
  }

  /**
   * The same for what may be used later.
   *
   * @param counted whose limit counts it; null: that of the model it falls back to will
   */
  void ask(
      ExchangeRequest request,
      @Nullable ModelId counted,
      long tokens,
      EventExecutor loop,
      Consumer<Runnable> guarded,
      Consumer<Verdict> whenKnown) {
    LimitRules rules = limits.rules().get();
    switch (limits.asked(rules, request.id(), request.key(), counted, tokens)) {
      case Asked.Nothing _ -> whenKnown.accept(GRANTED);
      case Asked.NeverFits never -> {
        // Only looked at, so that the client is told how the key stands as with any other refusal.
        Draw look = rules.look(request.id(), request.key());
        limits
            .counters()
            .take(
                look,
                loop,
                drawn -> guarded.accept(() -> whenKnown.accept(verdict(never, look, drawn))));
      }
      case Asked.Of of -> {
        // From before it was counted, so that nobody is refused for longer than the bucket says.
        var asking = new Asking(request.key(), rules, loop.ticker().nanoTime());
        Draw draw = of.draw();
        limits
            .counters()
            .take(
                draw,
                loop,
                drawn -> guarded.accept(() -> whenKnown.accept(verdict(asking, draw, drawn))));
      }
    }
  }

  /**
   * The same for a model that the request falls back to: one request of that model's limit, which
   * stays taken. A refusal is not told to the client.
   */
  void askToo(
      ExchangeRequest request,
      ModelId model,
      Executor loop,
      Consumer<Runnable> guarded,
      Consumer<Verdict> whenKnown) {
    RequestId name = RequestId.at(request.id().epochMillis());
    switch (limits.rules().get().askedToo(name, model)) {
      case Asked.Nothing _ -> whenKnown.accept(GRANTED);
      case Asked.NeverFits never -> throw new IllegalStateException("no tokens of " + never);
      case Asked.Of of ->
          limits
              .counters()
              .take(
                  of.draw(),
                  loop,
                  drawn ->
                      guarded.accept(() -> whenKnown.accept(verdictToo(model, of.draw(), drawn))));
    }
  }

  private Verdict verdictToo(ModelId model, Draw draw, Drawn drawn) {
    return switch (drawn) {
      case Drawn.Taken _ -> {
        limits.counters().end(draw, 0);
        yield GRANTED;
      }
      case Drawn.Refused refused ->
          passedOver(model, LimitFault.of(draw, refused), Ending.REJECTED);
      case Drawn.Unavailable _ ->
          passedOver(model, LimitFault.unavailable(), Ending.DEPENDENCY_DOWN);
    };
  }

  private Verdict passedOver(ModelId model, Fault why, Ending ending) {
    limits.observer().passedOver(model, why);
    return new Verdict.Refused(why, ending);
  }

  private record Asking(ApiKey key, LimitRules rules, long nanos) {}

  private Verdict verdict(Asking asking, Draw draw, Drawn drawn) {
    return switch (drawn) {
      case Drawn.Taken taken -> {
        permit = new Permit(limits.counters(), draw);
        fields = LimitFields.of(draw, taken.levels());
        yield GRANTED;
      }
      case Drawn.Refused refused -> {
        fields = LimitFields.of(draw, refused.levels());
        Fault fault = LimitFault.of(draw, refused);
        remember(asking, fault, LimitFault.surelyMicros(draw, refused));
        yield refused(fault, Ending.REJECTED);
      }
      case Drawn.Unavailable _ -> refused(LimitFault.unavailable(), Ending.DEPENDENCY_DOWN);
    };
  }

  private Verdict verdict(Asked.NeverFits never, Draw look, Drawn drawn) {
    switch (drawn) {
      case Drawn.Taken taken -> fields = LimitFields.of(look, taken.levels());
      case Drawn.Refused refused -> fields = LimitFields.of(look, refused.levels());
      case Drawn.Unavailable _ -> {} // that it never fits is known all the same
    }
    return refused(LimitFault.neverFits(never.bucket(), never.tokens()), Ending.REJECTED);
  }

  private void remember(Asking asking, Fault fault, long micros) {
    if (micros > 0) {
      long untilNanos = asking.nanos + TimeUnit.MICROSECONDS.toNanos(micros);
      var told = new RefusalCache.Told(fault, fields);
      limits.known().remember(asking.key, asking.rules, told, asking.nanos, untilNanos);
    }
  }

  private Verdict refused(Fault fault, Ending ending) {
    limits.observer().refused(fault);
    return new Verdict.Refused(fault, ending);
  }

  /**
   * The slot is free again, and the estimate corrected; at the end of the request, before the
   * client is told of it.
   */
  void end(long tokensUsed) {
    Permit held = permit;
    permit = null;
    if (held != null) {
      held.end(tokensUsed);
    }
  }

  /** The reply's fields, with how the key's limits stand; none where it has none. */
  List<FieldLines> addedTo(List<FieldLines> reply) {
    for (int n = 0; n < fields.size(); n++) {
      reply.add(fields.get(n));
    }
    return reply;
  }
}
