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
 * Owner of one request's claim on its idempotency key, from the claim's acquisition to its end;
 * does nothing for a request without a key. A claim that arrives after the request's end is freed
 * at once. Loop-confined.
 */
final class IdempotencyGuard {
  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyGuard.class);
  private static final long RETRY_AFTER_SECONDS_MAX = 30;

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final RequestLoop loop;
  private @Nullable Claim claim;
  private boolean ended;

  /** The request that waits for its claim; not called after the request's end. */
  interface Listener {
    /** The request holds the claim, or has no key. */
    void claimed();

    /** The request was carried out before. The listener owns the reply. */
    void replayed(StoredReply reply);

    void refused(Fault fault, RequestOutcome outcome);
  }

  IdempotencyGuard(ExchangeContext context, ExchangeRequest request, RequestLoop loop) {
    this.context = context;
    this.request = request;
    this.loop = loop;
  }

  /** True if the request holds the claim: repeats with the same key wait for its result. */
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
    Body.Loan loan = request.body().lend(); // the store may hash it after a disconnect
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

  /**
   * Permit of the in-flight budget for a stored reply, acquired when the store has read its length.
   */
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
        Fault.tryLater("Idempotency keys cannot be checked at present."),
        RequestOutcome.DEPENDENCY_DOWN,
        listener);
  }

  /** Advises to wait as long again as the request has run: a few retries, however long it takes. */
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

  // Its result

  /** Records in the store that a provider is about to be asked, then runs {@code then}. */
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
   * Stores the final reply, or frees the key if the request had no effect. A connected client does
   * not wait for a store that does not respond.
   *
   * @param outcomeUnknown true if a provider may have executed the request and no result arrived
   * @param lost called instead of {@code then} if neither client nor store gets the result
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
    claim = null; // last, so that abandon() ends it if a step above throws
  }

  private static void complete(Claim current, PendingStore pendingStore) {
    try {
      current.complete(pendingStore.reply, pendingStore);
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      pendingStore.reply.body().release();
      throw unexpected;
    }
  }

  /** A reply that is being stored; its client may get it before it is stored. */
  private final class PendingStore implements Claim.Completion {
    private final StoredReply reply;
    private final BooleanSupplier isClientConnected;
    private final Runnable then;
    private final Runnable lost;
    private boolean notified;

    PendingStore(
        StoredReply reply, BooleanSupplier isClientConnected, Runnable then, Runnable lost) {
      // A reader index of its own: writing the reply to the client moves the other one.
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

  /** Leaves the claim to the expiry of its lease, because the result is unknown. */
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
