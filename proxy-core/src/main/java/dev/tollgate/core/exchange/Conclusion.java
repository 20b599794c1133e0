package dev.tollgate.core.exchange;

import dev.tollgate.core.endpoint.BrokenStream;
import dev.tollgate.core.exchange.RequestRecord.Served;
import dev.tollgate.core.exchange.RequestService.ClientExit;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.ledger.Settlement.How;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only way out of an exchange: charges once, then tells the client, then records. What the
 * client is told waits until the charge cannot be lost. Loop-confined.
 */
final class Conclusion {
  private static final Logger LOG = LoggerFactory.getLogger(Conclusion.class);

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final ClientReply reply;
  private final Function<Charge, Served> served;
  private final LongSupplier now;
  private final Claiming claiming;
  private final Booking booking = new Booking();
  private final Allowance allowance;
  private boolean over;
  private boolean bodyEnded;
  private @Nullable Verdict verdict;
  private @Nullable Parting kept;
  private @Nullable ClientExit clientExit;
  private Unawaited.@Nullable Place unawaited;

  /**
   * @param claiming ends ahead of the charge
   * @param served what routing and the providers did, with a charge
   * @param now the loop's ticker
   */
  Conclusion(
      ExchangeContext context,
      ExchangeRequest request,
      ClientReply reply,
      Claiming claiming,
      Function<Charge, Served> served,
      LongSupplier now) {
    this.context = context;
    this.request = request;
    this.reply = reply;
    this.claiming = claiming;
    this.served = served;
    this.now = now;
    this.allowance = new Allowance(context.limits());
  }

  /** How the request ends, and what it is charged. */
  record Verdict(Ending ending, @Nullable ErrorCode code, int status, Charge charge) {
    private Verdict uncharged() {
      return new Verdict(ending, code, status, Charge.NOTHING);
    }

    private Verdict withoutClient(ClientExit exit) {
      return new Verdict(Ending.of(exit), null, status, charge);
    }

    private How how() {
      return switch (ending) {
        case OK, OK_ESTIMATED, REPLAYED -> How.COMPLETED;
        case CLIENT_ABORT, CLIENT_STALLED, CLIENT_SLOW -> How.ABANDONED;
        case REJECTED,
            PROVIDER_UNAVAILABLE,
            PROVIDER_TIMEOUT,
            PROVIDER_DISCONNECT,
            PROVIDER_ERROR,
            PROVIDER_REJECTED,
            PROVIDER_AUTH,
            PROVIDER_RATE_LIMITED,
            STREAM_INTERRUPTED,
            DEPENDENCY_DOWN,
            DRAINED,
            INTERNAL_ERROR ->
            How.PARTIAL;
        case SHED -> code == null ? How.ABANDONED : How.PARTIAL; // null: nobody can be told
      };
    }
  }

  /** The request's money while it runs. */
  Booking booking() {
    return booking;
  }

  /** The request's part of the limits while it runs. */
  Allowance allowance() {
    return allowance;
  }

  /** Whether the end has begun. */
  boolean isOver() {
    return over;
  }

  /** Asks the limits of a model to fall back to; what they say after the end is not heard. */
  void askLimits(
      ModelId model,
      Executor loop,
      Consumer<Runnable> guarded,
      Consumer<Allowance.Verdict> whenKnown) {
    allowance.askToo(
        request,
        model,
        loop,
        guarded,
        verdict -> {
          if (!over) {
            whenKnown.accept(verdict);
          }
        });
  }

  /**
   * Ends the request.
   *
   * @param guarded runs a step so that a fault of ours does not go unnoticed
   * @param ended called when all is done, ahead of the record
   */
  void begin(Verdict decided, Parting parting, Consumer<Runnable> guarded, Runnable ended) {
    over = true;
    verdict = decided;
    kept = parting;
    endBeside(this::endBody);
    endBeside(() -> allowance.end(decided.charge().usage().computedTokens()));
    // Who dies in between has given something away, instead of charging for what nobody gets.
    claiming.end(
        parting,
        () -> clientExit == null,
        () -> charge(decided, parting, guarded, ended),
        () -> charge(decided.uncharged(), parting, guarded, ended));
  }

  private void charge(
      Verdict decided, Parting parting, Consumer<Runnable> guarded, Runnable ended) {
    verdict = decided;
    long bytes = reply.bytesSent() + parting.bytes(); // of the row, which goes ahead of the reply
    booking.end(
        decided.charge(),
        decided.how(),
        () -> context.rows().apply(record(decided, bytes)),
        () -> guarded.accept(() -> charged(decided, parting, ended)));
  }

  /** What cannot be ended is no reason not to charge. */
  private void endBeside(Runnable end) {
    try {
      end.run();
    } catch (RuntimeException surprise) {
      LOG.error("request {} holds more than it should", request.id(), surprise);
    }
  }

  /** The client left, and what it waited for goes on: it is charged as decided, and not told. */
  void clientLeft(ClientExit exit) {
    clientExit = exit;
    goesOn();
  }

  /** A node that stops waits for the end, although no client does. */
  void goesOn() {
    if (unawaited == null) {
      unawaited = context.unawaited().enter();
    }
  }

  private void charged(Verdict decided, Parting parting, Runnable ended) {
    ClientExit exit = clientExit;
    kept = null;
    if (exit == null) {
      parting.send(reply);
    } else {
      parting.release();
    }
    ended.run();
    observe(exit == null ? decided : decided.withoutClient(exit));
  }

  /** The way out did not hold either: whoever waits is told without any more, and it is over. */
  void lastResort(boolean clientWaits, Runnable ended) {
    over = true;
    claiming.abandon();
    booking.abandon();
    if (kept != null) {
      kept.release();
      kept = null;
    }
    allowance.end(0);
    endBody();
    ErrorCode code = Exchange.SURPRISE.code();
    int status = reply.isOpened() ? 200 : code.status();
    Charge charged = verdict == null ? Charge.NOTHING : verdict.charge();
    if (clientWaits && clientExit == null) {
      reply.refuse(BrokenStream.unopened(Exchange.SURPRISE), List.of());
    }
    ended.run();
    observe(new Verdict(Ending.INTERNAL_ERROR, code, status, charged));
  }

  /** The provider has the request, which takes its time: nobody needs its bytes any more. */
  void written(InputImages images) {
    images.letGo();
    if (!bodyEnded) {
      request.body().becomes(0);
    }
  }

  private void endBody() {
    if (!bodyEnded) {
      bodyEnded = true;
      request.body().end();
    }
  }

  private void observe(Verdict decided) {
    Unawaited.Place place = unawaited;
    unawaited = null;
    try {
      context.observer().ended(record(decided, reply.bytesSent()));
    } finally {
      if (place != null) {
        place.end();
      }
    }
  }

  private RequestRecord record(Verdict decided, long responseBytes) {
    return request.record(
        decided.ending(),
        decided.code(),
        decided.status(),
        served.apply(decided.charge()),
        responseBytes,
        now.getAsLong());
  }
}
