package dev.tollgate.core.testkit;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.idempotency.Claim;
import dev.tollgate.core.idempotency.Claim.DispatchResult;
import dev.tollgate.core.idempotency.IdempotencyKey;
import dev.tollgate.core.idempotency.IdempotencyStore;
import dev.tollgate.core.idempotency.StoredReply;
import dev.tollgate.core.idempotency.Submission;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Idempotency store in memory, with a clock that the test advances. The test controls the answers:
 * at once, delayed, or unavailable.
 */
public final class InMemoryIdempotencyStore implements IdempotencyStore {
  public static final Duration LEASE = Duration.ofSeconds(30);
  public static final Duration KEPT = Duration.ofHours(24);

  private final LongSupplier nanos;
  private final Map<Name, Row> rows = new HashMap<>();
  private final List<InMemoryClaim> claims = new ArrayList<>();
  private final List<Runnable> waiting = new ArrayList<>();
  private final List<Runnable> stalled = new ArrayList<>();
  private boolean answersWait;
  private boolean unavailable;
  private boolean crowded;
  private boolean stalls;
  private boolean failsNext;
  private boolean keepsNone;

  private record Name(OrgId org, String endpoint, IdempotencyKey key) {}

  private enum State {
    CLAIMED,
    DISPATCHED,
    LOST,
    DONE
  }

  private static final class Row {
    final byte[] hash;
    final RequestId owner;
    final StoredReply ifNotKept;
    final long claimedNanos;
    State state = State.CLAIMED;
    long leaseUntil = Long.MAX_VALUE;
    long expiresAt = Long.MAX_VALUE;
    @Nullable StoredReply kept;

    Row(byte[] hash, Submission submission, long claimedNanos) {
      this.hash = hash;
      this.owner = submission.request();
      this.ifNotKept = submission.ifNotKept();
      this.claimedNanos = claimedNanos;
    }
  }

  public InMemoryIdempotencyStore(LongSupplier nanos) {
    this.nanos = nanos;
  }

  // Control by the test

  /** Delays answers until {@link #answer}, from now on. */
  public void holdAnswers() {
    answersWait = true;
  }

  public void answer() {
    answersWait = false;
    List<Runnable> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(Runnable::run);
  }

  /** Gives one delayed answer. */
  public void answerAny(RandomGenerator random) {
    waiting.remove(random.nextInt(waiting.size())).run();
  }

  public int waiting() {
    return waiting.size();
  }

  /** Makes the store unavailable until it is back. */
  public void setUnavailable(boolean isUnavailable) {
    unavailable = isUnavailable;
  }

  /** Delays the storing of replies from now on, after a failed first attempt. */
  public void stallReplies(boolean isStalling) {
    stalls = isStalling;
    if (!stalls) {
      List<Runnable> all = List.copyOf(stalled);
      stalled.clear();
      all.forEach(Runnable::run);
    }
  }

  /** Lets the next call that stores a reply throw. */
  public void failNext() {
    failsNext = true;
  }

  /** Sets whether organizations have too many pending claims. */
  public void crowd(boolean isCrowded) {
    crowded = isCrowded;
  }

  /** Sets whether organizations have no space for more replies. */
  public void setFull(boolean isFull) {
    keepsNone = isFull;
  }

  /** Kills the present holders of claims. */
  public void crash() {
    for (InMemoryClaim each : List.copyOf(claims)) {
      each.abandon();
    }
  }

  /** Returns the number of claims that have not ended. */
  public int open() {
    return claims.size();
  }

  /** Returns the number of stored keys. */
  public int keys() {
    return rows.size();
  }

  // Port

  @Override
  public void claim(
      Submission submission,
      ReplyMemory room,
      EventExecutor loop,
      Consumer<ClaimResult> whenKnown) {
    later(() -> whenKnown.accept(answer(submission, room)));
  }

  private void later(Runnable step) {
    if (answersWait) {
      waiting.add(step);
    } else {
      step.run();
    }
  }

  private ClaimResult answer(Submission submission, ReplyMemory room) {
    if (unavailable) {
      return new ClaimResult.Unavailable("gone");
    }
    if (crowded) {
      return new ClaimResult.TooManyPending();
    }
    long now = nanos.getAsLong();
    var name = new Name(submission.org(), submission.endpoint(), submission.key());
    byte[] hash = submission.body().sha256();
    Row row = rows.get(name);
    if (row == null || row.expiresAt <= now || isFree(row, now)) {
      Row mine = new Row(hash, submission, now);
      rows.put(name, mine);
      var claim = new InMemoryClaim(name, mine);
      claims.add(claim);
      return new ClaimResult.Claimed(claim);
    }
    if (!Arrays.equals(row.hash, hash)) {
      return new ClaimResult.Conflict();
    }
    if (row.state == State.DISPATCHED && row.leaseUntil <= now) {
      row.state = State.LOST;
      keep(row, submission.ifLost());
    }
    StoredReply kept = row.kept;
    if (kept == null) {
      return new ClaimResult.Running(Duration.ofNanos(now - row.claimedNanos));
    }
    boolean fits = room.tryReserve(kept.body().readableBytes());
    return fits ? new ClaimResult.Replay(copyOf(kept)) : new ClaimResult.ReplyNotStored();
  }

  private static boolean isFree(Row row, long now) {
    return row.state == State.CLAIMED && row.leaseUntil <= now;
  }

  private void keep(Row row, StoredReply reply) {
    row.kept = copyOf(reply);
    row.expiresAt = nanos.getAsLong() + KEPT.toNanos();
  }

  private static StoredReply copyOf(StoredReply reply) {
    ByteBuf body = Unpooled.wrappedBuffer(ByteBufUtil.getBytes(reply.body()));
    return new StoredReply(reply.status(), reply.contentType(), reply.fields(), body);
  }

  private final class InMemoryClaim implements Claim {
    private final Name name;
    private final Row row;

    InMemoryClaim(Name name, Row row) {
      this.name = name;
      this.row = row;
    }

    private boolean isMine() {
      Row now = rows.get(name);
      return now != null && now.owner.equals(row.owner);
    }

    @Override
    public void dispatch(Consumer<DispatchResult> whenKnown) {
      later(() -> whenKnown.accept(mark()));
    }

    private DispatchResult mark() {
      if (unavailable) {
        return new DispatchResult.Unavailable("gone");
      }
      if (!isMine()) {
        return new DispatchResult.Lost();
      }
      row.state = State.DISPATCHED;
      return new DispatchResult.Recorded();
    }

    @Override
    public void complete(StoredReply reply, Completion completion) {
      if (failsNext) {
        failsNext = false;
        throw new OutOfMemoryError("no room for a buffer");
      }
      later(
          () -> {
            if (unavailable || stalls) {
              completion.delayed();
            }
            if (stalls) {
              stalled.add(() -> store(reply, completion));
            } else {
              store(reply, completion);
            }
          });
    }

    private void store(StoredReply reply, Completion completion) {
      boolean stores = !unavailable && isMine() && row.state != State.CLAIMED;
      if (stores) {
        row.state = State.DONE;
        keep(row, keepsNone ? row.ifNotKept : reply);
      }
      abandon();
      if (stores) {
        completion.stored();
      } else {
        completion.lost();
      }
    }

    @Override
    public void free(Runnable done) {
      later(
          () -> {
            if (!unavailable && isMine() && row.kept == null) {
              rows.remove(name);
            }
            abandon();
            done.run();
          });
    }

    @Override
    public void abandon() {
      if (!claims.remove(this)) {
        return; // the holder's process has ended
      }
      row.leaseUntil = nanos.getAsLong() + LEASE.toNanos();
    }
  }
}
