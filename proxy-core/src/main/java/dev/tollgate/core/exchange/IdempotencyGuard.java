package dev.tollgate.core.exchange;

import dev.tollgate.core.exchange.frame.Body;
import dev.tollgate.core.exchange.frame.CountedBody;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.idempotency.BodyFingerprint;
import dev.tollgate.core.idempotency.Claim;
import dev.tollgate.core.idempotency.IdempotencyKey;
import dev.tollgate.core.idempotency.IdempotencyStore;
import dev.tollgate.core.idempotency.StoredReply;
import dev.tollgate.core.idempotency.Submission;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request's claim on its idempotency key, from the wish for it to its end; of a request without a
 * key, nothing. What is answered after the request's end goes back at once. Loop-confined.
 */
final class IdempotencyGuard {
  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyGuard.class);
  private static final long RETRY_AFTER_SECONDS_MAX = 30;

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final RequestLoop loop;
  private @Nullable Claim claim;
  private boolean ended;

  /** Who wants to carry the request out; told only while it has not ended. */
  interface Listener {
    /** It is this request's turn. */
    void claimed();

    /** It was carried out before. The reply is owned. */
    void replayed(StoredReply reply);

    void refused(Fault fault, RequestOutcome outcome);
  }

  IdempotencyGuard(ExchangeContext context, ExchangeRequest request, RequestLoop loop) {
    this.context = context;
    this.request = request;
    this.loop = loop;
  }

  /** Whether it is this request's turn, and others wait for what comes of it. */
  boolean isClaimed() {
    return claim != null;
  }

  // The claim

  /** Claims the request's key, if it has one. */
  void begin(Listener listener) {
    loop.check();
    String key = request.idempotencyKey();
    if (key == null) {
      listener.claimed();
      return;
    }
    var room = new Room(context.inflight());
    Body.Loan loan = request.body().lend(); // it is hashed, also where its client leaves meanwhile
    try {
      context
          .admission()
          .idempotency()
          .claim(
              submission(new IdempotencyKey(key)),
              room,
              loop.eventLoop(),
              answer -> {
                loan.end();
                loop.run(() -> answered(answer, room, listener));
              });
    } catch (RuntimeException unexpected) {
      loan.end();
      throw unexpected;
    }
  }

  private Submission submission(IdempotencyKey key) {
    Body body = request.body();
    return new Submission(
        request.key().org().id(),
        request.endpoint().path(),
        key,
        new BodyFingerprint(body.bytes(), body.length(), request.argument()),
        request.id(),
        StoredReplies.outcomeUnknown(request.id()),
        StoredReplies.notStored(request.id()));
  }

  /** Memory for a stored reply; taken where the store is read. */
  private static final class Room implements IdempotencyStore.ReplyMemory {
    private final InflightBytes inflight;
    private Optional<InflightBytes.Permit> permit = Optional.empty();

    Room(InflightBytes inflight) {
      this.inflight = inflight;
    }

    @Override
    public boolean tryReserve(int bytes) {
      permit = inflight.tryAcquire(bytes);
      return permit.isPresent();
    }

    void end() {
      permit.ifPresent(InflightBytes.Permit::end);
    }
  }

  private void answered(IdempotencyStore.ClaimResult answer, Room room, Listener listener) {
    switch (answer) {
      case IdempotencyStore.ClaimResult.Claimed claimed when ended ->
          claimed.claim().free(() -> {});
      case IdempotencyStore.ClaimResult.Claimed claimed -> {
        claim = claimed.claim();
        listener.claimed();
      }
      case IdempotencyStore.ClaimResult.Replay replay -> replay(replay.reply(), room, listener);
      case IdempotencyStore.ClaimResult.Running running ->
          refuse(running(running.age()), RequestOutcome.REJECTED, listener);
      case IdempotencyStore.ClaimResult.Conflict _ ->
          refuse(conflict(), RequestOutcome.REJECTED, listener);
      case IdempotencyStore.ClaimResult.ReplyNotStored _ ->
          refuse(
              Fault.tryLater("There is no room for the stored reply."),
              RequestOutcome.SHED,
              listener);
      case IdempotencyStore.ClaimResult.TooManyPending _ ->
          refuse(tooManyPending(), RequestOutcome.REJECTED, listener);
      case IdempotencyStore.ClaimResult.Unavailable unavailable -> {
        room.end();
        unavailable(unavailable.reason(), listener);
      }
    }
  }

  private void replay(StoredReply reply, Room room, Listener listener) {
    if (ended) {
      reply.body().release();
      room.end();
      return;
    }
    StoredReplies.replaceRequestId(reply, request.id());
    var body = room.permit.map(permit -> CountedBody.of(reply.body(), permit)).orElseThrow();
    listener.replayed(new StoredReply(reply.status(), reply.contentType(), reply.fields(), body));
  }

  private void refuse(Fault fault, RequestOutcome outcome, Listener listener) {
    if (!ended) {
      listener.refused(fault, outcome);
    }
  }

  private void unavailable(String reason, Listener listener) {
    LOG.debug("request {} was not carried out: {}", request.id(), reason);
    refuse(
        Fault.tryLater("Submissions cannot be told apart at present."),
        RequestOutcome.DEPENDENCY_DOWN,
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

  private static Fault tooManyPending() {
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
    loop.check();
    Claim current = claim;
    if (current == null) {
      then.run();
    } else {
      current.dispatch(marked -> loop.run(() -> marked(marked, then, listener)));
    }
  }

  private void marked(Claim.DispatchResult marked, Runnable then, Listener listener) {
    if (ended) {
      return;
    }
    switch (marked) {
      case Claim.DispatchResult.Recorded _ -> then.run();
      case Claim.DispatchResult.Lost _ ->
          refuse(running(Duration.ZERO), RequestOutcome.REJECTED, listener);
      case Claim.DispatchResult.Unavailable unavailable ->
          unavailable(unavailable.reason(), listener);
    }
  }

  /**
   * Stores what the client is told, or frees the key where nothing can have come of it. A client
   * that waits does not wait for a store that is away.
   *
   * @param isClientConnected whether somebody is there to be told
   * @param lost comes in place of {@code then} where nobody ever gets what was made
   */
  void end(
      FinalReply finalReply,
      boolean outcomeUnknown,
      BooleanSupplier isClientConnected,
      Runnable then,
      Runnable lost) {
    loop.check();
    ended = true;
    Claim current = claim;
    if (current == null) {
      then.run();
      return;
    }
    if (finalReply instanceof FinalReply.Whole || outcomeUnknown) {
      int bytesMax = context.options().storedReplyBytesMax();
      StoredReply reply = StoredReplies.of(finalReply, request.id(), bytesMax);
      complete(current, new PendingStore(reply, isClientConnected, then, lost));
    } else {
      current.free(() -> loop.run(then));
    }
    claim = null; // not before: what throws leaves it to abandon()
  }

  private static void complete(Claim current, PendingStore pendingStore) {
    try {
      current.complete(pendingStore.reply, pendingStore);
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      pendingStore.reply.body().release();
      throw unexpected;
    }
  }

  /** A reply on its way into the store, which its client may get before it is there. */
  private final class PendingStore implements Claim.Completion {
    private final StoredReply reply;
    private final BooleanSupplier isClientConnected;
    private final Runnable then;
    private final Runnable lost;
    private boolean notified;

    PendingStore(
        StoredReply reply, BooleanSupplier isClientConnected, Runnable then, Runnable lost) {
      // Its own view of the bytes: those that are written to the client have been read.
      this.reply =
          new StoredReply(
              reply.status(),
              reply.contentType(),
              reply.fields(),
              reply.body().retainedDuplicate());
      this.isClientConnected = isClientConnected;
      this.then = then;
      this.lost = lost;
    }

    @Override
    public void delayed() {
      if (isClientConnected.getAsBoolean()) {
        notifyOnce(then);
      }
    }

    @Override
    public void stored() {
      reply.body().release();
      notifyOnce(then);
    }

    @Override
    public void lost() {
      reply.body().release();
      notifyOnce(isClientConnected.getAsBoolean() ? then : lost);
    }

    private void notifyOnce(Runnable next) {
      if (!notified) {
        notified = true;
        loop.run(next);
      }
    }
  }

  /** Nobody knows what came of it: its lease runs out. */
  void abandon() {
    loop.check();
    ended = true;
    Claim current = claim;
    claim = null;
    if (current != null) {
      current.abandon();
    }
  }
}
