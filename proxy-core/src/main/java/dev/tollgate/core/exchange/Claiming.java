package dev.tollgate.core.exchange;

import dev.tollgate.core.claim.BodyIdentity;
import dev.tollgate.core.claim.Claim;
import dev.tollgate.core.claim.Idempotency;
import dev.tollgate.core.claim.IdempotencyKey;
import dev.tollgate.core.claim.StoredReply;
import dev.tollgate.core.claim.Submission;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request's claim on its idempotency key, from the wish for it to its end; of a request without a
 * key, nothing. What is answered after the request's end goes back at once. Loop-confined.
 */
final class Claiming {
  private static final Logger LOG = LoggerFactory.getLogger(Claiming.class);
  private static final long RETRY_AFTER_SECONDS_MAX = 30;

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final BooleanSupplier bought;
  private final Consumer<Runnable> guarded;
  private @Nullable Claim claim;
  private boolean over;

  /** Who wants to carry the request out; told only while it has not ended. */
  interface Listener {
    /** It is this request's turn. */
    void claimed();

    /** It was carried out before. The reply is owned. */
    void replayed(StoredReply reply);

    void refused(Fault fault, Ending ending);
  }

  /**
   * @param bought whether what was asked for may have been made
   * @param guarded runs a step so that a fault of ours does not go unnoticed
   */
  Claiming(
      ExchangeContext context,
      ExchangeRequest request,
      BooleanSupplier bought,
      Consumer<Runnable> guarded) {
    this.context = context;
    this.request = request;
    this.bought = bought;
    this.guarded = guarded;
  }

  /** Whether it is this request's turn, and others wait for what comes of it. */
  boolean isHeld() {
    return claim != null;
  }

  // Whose turn it is

  void begin(EventExecutor loop, Listener listener) {
    String key = request.idempotencyKey();
    if (key == null) {
      listener.claimed();
      return;
    }
    var room = new Room(context.inflight());
    Body.Loan loan = request.body().lend(); // it is hashed, also where its client leaves meanwhile
    try {
      context
          .idempotency()
          .claim(
              submission(new IdempotencyKey(key)),
              room,
              loop,
              answer -> {
                loan.end();
                guarded.accept(() -> answered(answer, room, listener));
              });
    } catch (RuntimeException surprise) {
      loan.end();
      throw surprise;
    }
  }

  private Submission submission(IdempotencyKey key) {
    Body body = request.body();
    return new Submission(
        request.key().org().id(),
        request.endpoint().path(),
        key,
        new BodyIdentity(body.bytes(), body.length(), request.argument()),
        request.id(),
        StoredReplies.lost(request.id()),
        StoredReplies.notKept(request.id()));
  }

  /** Memory for a stored reply; taken where the store is read. */
  private static final class Room implements Idempotency.Room {
    private final InflightBytes inflight;
    private Optional<InflightBytes.Permit> permit = Optional.empty();

    Room(InflightBytes inflight) {
      this.inflight = inflight;
    }

    @Override
    public boolean take(int bytes) {
      permit = inflight.tryAcquire(bytes);
      return permit.isPresent();
    }

    void end() {
      permit.ifPresent(InflightBytes.Permit::end);
    }
  }

  private void answered(Idempotency.Answer answer, Room room, Listener listener) {
    switch (answer) {
      case Idempotency.Answer.Claimed claimed when over -> claimed.claim().free(() -> {});
      case Idempotency.Answer.Claimed claimed -> {
        claim = claimed.claim();
        listener.claimed();
      }
      case Idempotency.Answer.Replay replay -> replay(replay.reply(), room, listener);
      case Idempotency.Answer.Running running ->
          refuse(running(running.age()), Ending.REJECTED, listener);
      case Idempotency.Answer.Conflict _ -> refuse(conflict(), Ending.REJECTED, listener);
      case Idempotency.Answer.NoRoom _ ->
          refuse(Fault.tryLater("There is no room for the stored reply."), Ending.SHED, listener);
      case Idempotency.Answer.Crowded _ -> refuse(crowded(), Ending.REJECTED, listener);
      case Idempotency.Answer.Unavailable unavailable -> {
        room.end();
        unavailable(unavailable.reason(), listener);
      }
    }
  }

  private void replay(StoredReply reply, Room room, Listener listener) {
    if (over) {
      reply.body().release();
      room.end();
      return;
    }
    StoredReplies.readdress(reply, request.id());
    var body = room.permit.map(permit -> CountedBody.of(reply.body(), permit)).orElseThrow();
    listener.replayed(new StoredReply(reply.status(), reply.contentType(), reply.fields(), body));
  }

  private void refuse(Fault fault, Ending ending, Listener listener) {
    if (!over) {
      listener.refused(fault, ending);
    }
  }

  private void unavailable(String reason, Listener listener) {
    LOG.debug("request {} was not carried out: {}", request.id(), reason);
    refuse(
        Fault.tryLater("Submissions cannot be told apart at present."),
        Ending.DEPENDENCY_DOWN,
        listener);
  }

  /** Who waits as long again as it has run by now asks a few times, however long it takes. */
  private static Fault running(Duration age) {
    long seconds = Math.clamp(age.toSeconds(), 1, RETRY_AFTER_SECONDS_MAX);
    return Fault.of(
            ErrorCode.IDEMPOTENCY_CONFLICT,
            "A request with the same " + IdempotencyKey.FIELD + " is being carried out.")
        .withRetryAfter((int) seconds);
  }

  private static Fault crowded() {
    return Fault.of(
            ErrorCode.CONCURRENCY_EXCEEDED,
            "Too many requests with an " + IdempotencyKey.FIELD + " come at once.")
        .withRetryAfter(1);
  }

  private static Fault conflict() {
    return Fault.of(
        ErrorCode.IDEMPOTENCY_CONFLICT,
        "The " + IdempotencyKey.FIELD + " was used with another body.");
  }

  // What comes of it

  /** Stores that a provider may hear of it; {@code then} a provider may. */
  void dispatch(Runnable then, Listener listener) {
    Claim held = claim;
    if (held == null) {
      then.run();
    } else {
      held.dispatch(marked -> guarded.accept(() -> marked(marked, then, listener)));
    }
  }

  private void marked(Claim.Marked marked, Runnable then, Listener listener) {
    if (over) {
      return;
    }
    switch (marked) {
      case Claim.Marked.Stored _ -> then.run();
      case Claim.Marked.Lost _ -> refuse(running(Duration.ZERO), Ending.REJECTED, listener);
      case Claim.Marked.Unavailable unavailable -> unavailable(unavailable.reason(), listener);
    }
  }

  /**
   * Stores what the client is told, or frees the key where nothing can have come of it. A client
   * that waits does not wait for a store that is away.
   *
   * @param clientWaits whether somebody is there to be told
   * @param lost comes in place of {@code then} where nobody ever gets what was made
   */
  void end(Parting parting, BooleanSupplier clientWaits, Runnable then, Runnable lost) {
    over = true;
    Claim held = claim;
    if (held == null) {
      then.run();
      return;
    }
    if (parting instanceof Parting.Whole || bought.getAsBoolean()) {
      int bytesMax = context.options().storedReplyBytesMax();
      StoredReply reply = StoredReplies.of(parting, request.id(), bytesMax);
      complete(held, new Keeping(reply, clientWaits, then, lost));
    } else {
      held.free(() -> guarded.accept(then));
    }
    claim = null; // not before: what throws leaves it to abandon()
  }

  private static void complete(Claim held, Keeping keeping) {
    try {
      held.complete(keeping.reply, keeping);
    } catch (RuntimeException | OutOfMemoryError surprise) {
      keeping.reply.body().release();
      throw surprise;
    }
  }

  /** A reply on its way into the store, which its client may get before it is there. */
  private final class Keeping implements Claim.Completion {
    private final StoredReply reply;
    private final BooleanSupplier clientWaits;
    private final Runnable then;
    private final Runnable lost;
    private boolean told;

    Keeping(StoredReply reply, BooleanSupplier clientWaits, Runnable then, Runnable lost) {
      // Its own view of the bytes: those that are written to the client have been read.
      this.reply =
          new StoredReply(
              reply.status(),
              reply.contentType(),
              reply.fields(),
              reply.body().retainedDuplicate());
      this.clientWaits = clientWaits;
      this.then = then;
      this.lost = lost;
    }

    @Override
    public void delayed() {
      if (clientWaits.getAsBoolean()) {
        tell(then);
      }
    }

    @Override
    public void stored() {
      reply.body().release();
      tell(then);
    }

    @Override
    public void lost() {
      reply.body().release();
      tell(clientWaits.getAsBoolean() ? then : lost);
    }

    private void tell(Runnable next) {
      if (!told) {
        told = true;
        guarded.accept(next);
      }
    }
  }

  /** Nobody knows what came of it: its lease runs out. */
  void abandon() {
    over = true;
    Claim held = claim;
    claim = null;
    if (held != null) {
      held.abandon();
    }
  }
}
