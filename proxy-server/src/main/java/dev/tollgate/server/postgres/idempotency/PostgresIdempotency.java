package dev.tollgate.server.postgres.idempotency;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.exchange.frame.Offload.Outcome;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.idempotency.Claim;
import dev.tollgate.core.idempotency.IdempotencyStore;
import dev.tollgate.core.idempotency.StoredReply;
import dev.tollgate.core.idempotency.Submission;
import dev.tollgate.core.tenant.PerOrgLimit;
import dev.tollgate.server.postgres.idempotency.ClaimRows.ClaimOutcome;
import dev.tollgate.server.postgres.idempotency.ClaimRows.HeldClaim;
import dev.tollgate.server.settings.ServerSettings;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Ticker;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Idempotency store in PostgreSQL: claims keys for requests and stores their replies, by the
 * database's clock. Statements run on offloaded threads; the owner calls {@link #renew} several
 * times in each lease.
 */
public final class PostgresIdempotency implements IdempotencyStore {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresIdempotency.class);

  /** Longest wait for a thread. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(2);

  /** Outlasts a failover: a carried out request must be recorded, and a lost one must not be. */
  private static final Duration RETRY_DURATION_MAX = Duration.ofSeconds(60);

  private static final Duration RETRY_INTERVAL = Duration.ofMillis(500);

  /** Returned instead of a number of bytes: another request holds the key. */
  private static final int CLAIM_LOST = -1;

  private final ClaimRows rows;
  private final ClaimRows renewals;
  private final PerOrgLimit orgSlots;
  private final OrgByteQuota byteQuota;
  private final Offload offload;
  private final Set<HeldClaim> held = ConcurrentHashMap.newKeySet();
  private final Map<Result, LongAdder> claims = counters();
  private final LongAdder storedBytes = new LongAdder();
  private final LongAdder notStored = new LongAdder();
  private final LongAdder notKept = new LongAdder();

  /** Result of claiming an idempotency key, as a metric label. */
  private enum Result {
    CLAIMED,
    RUNNING,
    REPLAYED,
    CONFLICT,
    NO_ROOM,
    CROWDED,
    UNAVAILABLE;

    static Result of(ClaimResult answer) {
      return switch (answer) {
        case ClaimResult.Claimed _ -> CLAIMED;
        case ClaimResult.Running _ -> RUNNING;
        case ClaimResult.Replay _ -> REPLAYED;
        case ClaimResult.Conflict _ -> CONFLICT;
        case ClaimResult.ReplyNotStored _ -> NO_ROOM;
        case ClaimResult.TooManyPending _ -> CROWDED;
        case ClaimResult.Unavailable _ -> UNAVAILABLE;
      };
    }
  }

  private static Map<Result, LongAdder> counters() {
    Map<Result, LongAdder> counters = new EnumMap<>(Result.class);
    for (Result each : Result.values()) {
      counters.put(each, new LongAdder());
    }
    return counters;
  }

  /**
   * @param pool used by the offload's threads alone
   * @param renewalPool for renewals, which must not wait for large replies
   */
  public PostgresIdempotency(
      DataSource pool,
      DataSource renewalPool,
      Offload offload,
      ServerSettings.Idempotency settings) {
    this.rows = new ClaimRows(pool, settings.lease(), settings.retention());
    this.renewals = new ClaimRows(renewalPool, settings.lease(), settings.retention());
    this.orgSlots = new PerOrgLimit(settings.orgPendingMax());
    this.byteQuota = new OrgByteQuota(settings.orgBytesMax(), Ticker.systemTicker()::nanoTime);
    this.offload = offload;
  }

  // Claims

  @Override
  public void claim(
      Submission submission,
      ReplyMemory room,
      EventExecutor loop,
      Consumer<ClaimResult> whenKnown) {
    if (!orgSlots.tryBegin(submission.org())) {
      whenKnown.accept(counted(new ClaimResult.TooManyPending()));
      return;
    }
    run(
        loop,
        () -> answer(submission, room, loop),
        outcome -> {
          orgSlots.end(submission.org());
          whenKnown.accept(counted(answer(outcome)));
        });
  }

  private ClaimResult counted(ClaimResult answer) {
    requireNonNull(claims.get(Result.of(answer))).increment();
    return answer;
  }

  private static ClaimResult answer(Outcome<ClaimResult> outcome) {
    return switch (outcome) {
      case Outcome.Done<ClaimResult> done -> done.value();
      case Outcome.Refused<ClaimResult> refused -> new ClaimResult.Unavailable(refused.reason());
      case Outcome.Failed<ClaimResult> failed ->
          new ClaimResult.Unavailable(failed.cause().toString());
    };
  }

  private ClaimResult answer(Submission submission, ReplyMemory room, EventExecutor loop)
      throws SQLException {
    byte[] sha256 = submission.body().sha256();
    return switch (rows.claim(submission, sha256)) {
      case ClaimOutcome.Acquired _ -> new ClaimResult.Claimed(new OwnedClaim(submission, loop));
      case ClaimOutcome.Running running -> new ClaimResult.Running(running.age());
      case ClaimOutcome.Conflict _ -> new ClaimResult.Conflict();
      case ClaimOutcome.Completed completed -> replay(HeldClaim.of(submission), completed, room);
    };
  }

  private ClaimResult replay(HeldClaim claim, ClaimOutcome.Completed completed, ReplyMemory room)
      throws SQLException {
    if (!room.tryReserve(completed.bodyBytes())) {
      return new ClaimResult.ReplyNotStored();
    }
    return rows.body(claim, completed)
        .<ClaimResult>map(
            body ->
                new ClaimResult.Replay(
                    new StoredReply(
                        completed.status(),
                        completed.contentType(),
                        completed.fields(),
                        Unpooled.wrappedBuffer(body))))
        .orElseGet(() -> new ClaimResult.Unavailable("the reply was deleted or replaced just now"));
  }

  /** Claim on an idempotency key by a request that runs on this node. */
  private final class OwnedClaim implements Claim {
    private final HeldClaim heldClaim;
    private final OrgId org;
    private final StoredReply ifNotKept;
    private final EventExecutor loop;

    OwnedClaim(Submission submission, EventExecutor loop) {
      this.heldClaim = HeldClaim.of(submission);
      this.org = submission.org();
      this.ifNotKept = submission.ifNotKept();
      this.loop = loop;
      held.add(heldClaim);
    }

    @Override
    public void dispatch(Consumer<DispatchResult> whenKnown) {
      run(
          loop,
          () -> rows.dispatch(heldClaim),
          outcome ->
              whenKnown.accept(
                  switch (outcome) {
                    case Outcome.Done<Boolean> done ->
                        done.value() ? new DispatchResult.Recorded() : new DispatchResult.Lost();
                    case Outcome.Refused<Boolean> refused ->
                        new DispatchResult.Unavailable(refused.reason());
                    case Outcome.Failed<Boolean> failed ->
                        new DispatchResult.Unavailable(failed.cause().toString());
                  }));
    }

    @Override
    public void complete(StoredReply reply, Completion completion) {
      OrgByteQuota.ByteReservation reservation =
          byteQuota.reservation(org, reply.body().readableBytes());
      complete(reply, reservation, completion, deadlineNanos(), completion::delayed);
    }

    private void complete(
        StoredReply reply,
        OrgByteQuota.ByteReservation reservation,
        Completion completion,
        long deadlineNanos,
        Runnable onFailure) {
      run(
          loop,
          () -> {
            StoredReply fitting = fitting(reply, reservation);
            return rows.complete(heldClaim, fitting) ? fitting.body().readableBytes() : CLAIM_LOST;
          },
          outcome -> {
            if (outcome instanceof Outcome.Done<Integer>(Integer bytes)) {
              abandon();
              completed(bytes, reservation, completion);
            } else if (isBefore(deadlineNanos)) {
              onFailure.run();
              retryLater(() -> complete(reply, reservation, completion, deadlineNanos, () -> {}));
            } else {
              reservation.release();
              lost(outcome);
              abandon();
              completion.lost();
            }
          });
    }

    private StoredReply fitting(StoredReply reply, OrgByteQuota.ByteReservation reservation)
        throws SQLException {
      if (reservation.reserve(() -> rows.bytesOf(heldClaim.org()))) {
        return reply;
      }
      notKept.increment();
      return ifNotKept;
    }

    private long deadlineNanos() {
      return loop.ticker().nanoTime() + RETRY_DURATION_MAX.toNanos();
    }

    private boolean isBefore(long nanos) {
      return loop.ticker().nanoTime() - nanos < 0;
    }

    private void retryLater(Runnable work) {
      var _ = loop.schedule(work, RETRY_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void completed(
        int bytes, OrgByteQuota.ByteReservation reservation, Completion completion) {
      if (bytes != CLAIM_LOST) {
        reservation.stored();
        storedBytes.add(bytes);
        completion.stored();
      } else {
        reservation.release();
        notStored.increment();
        LOG.warn(
            "request {}: another request holds its idempotency key by now", heldClaim.request());
        completion.lost();
      }
    }

    private void lost(Outcome<Integer> outcome) {
      notStored.increment();
      LOG.warn(
          "request {}: its reply could not be stored, a repetition is answered as lost: {}",
          heldClaim.request(),
          outcome);
    }

    @Override
    public void free(Runnable done) {
      free(done, deadlineNanos());
    }

    private void free(Runnable done, long deadlineNanos) {
      run(
          loop,
          () -> {
            rows.free(heldClaim);
            return heldClaim;
          },
          outcome -> {
            if (outcome instanceof Outcome.Done<HeldClaim>) {
              abandon();
            } else if (isBefore(deadlineNanos)) {
              retryLater(() -> free(() -> {}, deadlineNanos));
            } else {
              LOG.warn(
                  "request {}: its idempotency key could not be released: {}",
                  heldClaim.request(),
                  outcome);
              abandon();
            }
            done.run();
          });
    }

    @Override
    public void abandon() {
      held.remove(heldClaim);
    }
  }

  private <T> void run(EventExecutor loop, Callable<T> work, Consumer<Outcome<T>> whenDone) {
    offload.run(loop, loop.ticker().nanoTime() + WAIT_MAX.toNanos(), work, whenDone);
  }

  // Maintenance

  /** Renews all claims of this node. */
  public void renew() throws SQLException {
    if (!held.isEmpty()) {
      renewals.renew(held);
    }
  }

  /** Returns the number of claims by result. */
  public Map<List<String>, Long> claims() {
    Map<List<String>, Long> totals = new HashMap<>();
    claims.forEach(
        (result, count) ->
            totals.put(List.of(result.name().toLowerCase(Locale.ROOT)), count.sum()));
    return totals;
  }

  /** Returns the number of submissions that run on this node. */
  public int running() {
    return held.size();
  }

  /** Returns the bytes of replies that were stored. */
  public long storedBytes() {
    return storedBytes.sum();
  }

  /** Returns the number of replies for which their organization had no room. */
  public long notKept() {
    return notKept.sum();
  }

  /** Returns the number of replies that could not be stored. */
  public long notStored() {
    return notStored.sum();
  }
}
