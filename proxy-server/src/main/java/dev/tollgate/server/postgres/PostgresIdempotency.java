package dev.tollgate.server.postgres;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.claim.Claim;
import dev.tollgate.core.claim.Idempotency;
import dev.tollgate.core.claim.StoredReply;
import dev.tollgate.core.claim.Submission;
import dev.tollgate.core.exchange.Offload;
import dev.tollgate.core.exchange.Offload.Outcome;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.OrgPlaces;
import dev.tollgate.server.postgres.ClaimRows.Held;
import dev.tollgate.server.postgres.ClaimRows.Turn;
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
 * Submissions that all nodes remember, in PostgreSQL and by its clock. Its statements run where
 * they may wait; whoever owns it calls {@link #renew} several times in each lease.
 */
public final class PostgresIdempotency implements Idempotency {
  private static final Logger log = LoggerFactory.getLogger(PostgresIdempotency.class);

  /** After that nobody waits any more for a thread. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(2);

  /** What was made must not be lost by a failover, nor what was not made be told as lost. */
  private static final Duration TRIES_MAX = Duration.ofSeconds(60);

  private static final Duration BETWEEN_TRIES = Duration.ofMillis(500);

  /** In place of the bytes that were stored: the key is another's. */
  private static final int NOT_MINE = -1;

  private final ClaimRows rows;
  private final ClaimRows alive;
  private final OrgPlaces turns;
  private final OrgBytes kept;
  private final Offload offload;
  private final Set<Held> held = ConcurrentHashMap.newKeySet();
  private final Map<Result, LongAdder> claims = counters();
  private final LongAdder storedBytes = new LongAdder();
  private final LongAdder notStored = new LongAdder();
  private final LongAdder notKept = new LongAdder();

  /** What was answered: the label of the metric. */
  private enum Result {
    CLAIMED,
    RUNNING,
    REPLAYED,
    CONFLICT,
    NO_ROOM,
    CROWDED,
    UNAVAILABLE;

    static Result of(Answer answer) {
      return switch (answer) {
        case Answer.Claimed _ -> CLAIMED;
        case Answer.Running _ -> RUNNING;
        case Answer.Replay _ -> REPLAYED;
        case Answer.Conflict _ -> CONFLICT;
        case Answer.NoRoom _ -> NO_ROOM;
        case Answer.Crowded _ -> CROWDED;
        case Answer.Unavailable _ -> UNAVAILABLE;
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
   * @param pool of the offload's threads alone
   * @param others for signs of life, which must not wait for replies that are read
   */
  PostgresIdempotency(
      DataSource pool, DataSource others, Offload offload, ServerSettings.Idempotency settings) {
    this.rows = new ClaimRows(pool, settings.lease(), settings.retention());
    this.alive = new ClaimRows(others, settings.lease(), settings.retention());
    this.turns = new OrgPlaces(settings.orgClaimsMax());
    this.kept = new OrgBytes(settings.orgBytesMax(), Ticker.systemTicker()::nanoTime);
    this.offload = offload;
  }

  // Whose turn it is

  @Override
  public void claim(
      Submission submission, Room room, EventExecutor loop, Consumer<Answer> whenKnown) {
    if (!turns.begin(submission.org())) {
      whenKnown.accept(counted(new Answer.Crowded()));
      return;
    }
    run(
        loop,
        () -> answer(submission, room, loop),
        outcome -> {
          turns.end(submission.org());
          whenKnown.accept(counted(answer(outcome)));
        });
  }

  private Answer counted(Answer answer) {
    requireNonNull(claims.get(Result.of(answer))).increment();
    return answer;
  }

  private static Answer answer(Outcome<Answer> outcome) {
    return switch (outcome) {
      case Outcome.Done<Answer> done -> done.value();
      case Outcome.Refused<Answer> refused -> new Answer.Unavailable(refused.reason());
      case Outcome.Failed<Answer> failed -> new Answer.Unavailable(failed.cause().toString());
    };
  }

  private Answer answer(Submission submission, Room room, EventExecutor loop) throws SQLException {
    byte[] sha256 = submission.body().sha256();
    return switch (rows.claim(submission, sha256)) {
      case Turn.Mine _ -> new Answer.Claimed(new Mine(submission, loop));
      case Turn.Running running -> new Answer.Running(running.age());
      case Turn.Conflict _ -> new Answer.Conflict();
      case Turn.Over over -> replay(Held.of(submission), over, room);
    };
  }

  private Answer replay(Held name, Turn.Over over, Room room) throws SQLException {
    if (!room.take(over.bodyBytes())) {
      return new Answer.NoRoom();
    }
    return rows.body(name, over)
        .<Answer>map(
            body ->
                new Answer.Replay(
                    new StoredReply(
                        over.status(),
                        over.contentType(),
                        over.fields(),
                        Unpooled.wrappedBuffer(body))))
        .orElseGet(() -> new Answer.Unavailable("the reply was forgotten or replaced just now"));
  }

  /** The claim of a request that runs here. */
  private final class Mine implements Claim {
    private final Held name;
    private final OrgId org;
    private final StoredReply ifNotKept;
    private final EventExecutor loop;

    Mine(Submission submission, EventExecutor loop) {
      this.name = Held.of(submission);
      this.org = submission.org();
      this.ifNotKept = submission.ifNotKept();
      this.loop = loop;
      held.add(name);
    }

    @Override
    public void dispatch(Consumer<Marked> whenKnown) {
      run(
          loop,
          () -> rows.dispatch(name),
          outcome ->
              whenKnown.accept(
                  switch (outcome) {
                    case Outcome.Done<Boolean> done ->
                        done.value() ? new Marked.Stored() : new Marked.Lost();
                    case Outcome.Refused<Boolean> refused ->
                        new Marked.Unavailable(refused.reason());
                    case Outcome.Failed<Boolean> failed ->
                        new Marked.Unavailable(failed.cause().toString());
                  }));
    }

    @Override
    public void complete(StoredReply reply, Completion completion) {
      OrgBytes.Place place = kept.place(org, reply.body().readableBytes());
      complete(reply, place, completion, giveUpNanos(), completion::delayed);
    }

    private void complete(
        StoredReply reply,
        OrgBytes.Place place,
        Completion completion,
        long giveUpNanos,
        Runnable onFailure) {
      run(
          loop,
          () -> {
            StoredReply fitting = fitting(reply, place);
            return rows.complete(name, fitting) ? fitting.body().readableBytes() : NOT_MINE;
          },
          outcome -> {
            if (outcome instanceof Outcome.Done<Integer>(Integer bytes)) {
              abandon();
              completed(bytes, place, completion);
            } else if (isEarlierThan(giveUpNanos)) {
              onFailure.run();
              again(() -> complete(reply, place, completion, giveUpNanos, () -> {}));
            } else {
              place.giveBack();
              lost(outcome);
              abandon();
              completion.lost();
            }
          });
    }

    private StoredReply fitting(StoredReply reply, OrgBytes.Place place) throws SQLException {
      if (place.take(() -> rows.bytesOf(name.org()))) {
        return reply;
      }
      notKept.increment();
      return ifNotKept;
    }

    private long giveUpNanos() {
      return loop.ticker().nanoTime() + TRIES_MAX.toNanos();
    }

    private boolean isEarlierThan(long nanos) {
      return loop.ticker().nanoTime() - nanos < 0;
    }

    private void again(Runnable work) {
      var _ = loop.schedule(work, BETWEEN_TRIES.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void completed(int bytes, OrgBytes.Place place, Completion completion) {
      if (bytes != NOT_MINE) {
        place.stored();
        storedBytes.add(bytes);
        completion.stored();
      } else {
        place.giveBack();
        notStored.increment();
        log.warn("request {}: its idempotency key is another's by now", name.request());
        completion.lost();
      }
    }

    private void lost(Outcome<Integer> outcome) {
      notStored.increment();
      log.warn(
          "request {}: its reply could not be stored, so that a replay is told that it is lost: {}",
          name.request(),
          outcome);
    }

    @Override
    public void free(Runnable done) {
      free(done, giveUpNanos());
    }

    private void free(Runnable told, long giveUpNanos) {
      run(
          loop,
          () -> {
            rows.free(name);
            return name;
          },
          outcome -> {
            if (outcome instanceof Outcome.Done<Held>) {
              abandon();
            } else if (isEarlierThan(giveUpNanos)) {
              again(() -> free(() -> {}, giveUpNanos));
            } else {
              log.warn("request {}: its key could not be freed: {}", name.request(), outcome);
              abandon();
            }
            told.run();
          });
    }

    @Override
    public void abandon() {
      held.remove(name);
    }
  }

  private <T> void run(EventExecutor loop, Callable<T> work, Consumer<Outcome<T>> whenDone) {
    offload.run(loop, loop.ticker().nanoTime() + WAIT_MAX.toNanos(), work, whenDone);
  }

  // Upkeep

  /** A sign of life for all that runs here. */
  public void renew() throws SQLException {
    if (!held.isEmpty()) {
      alive.renew(held);
    }
  }

  /** Claims that were asked for, by what was answered. */
  public Map<List<String>, Long> claims() {
    Map<List<String>, Long> totals = new HashMap<>();
    claims.forEach(
        (result, count) ->
            totals.put(List.of(result.name().toLowerCase(Locale.ROOT)), count.sum()));
    return totals;
  }

  /** Submissions that run here. */
  public int running() {
    return held.size();
  }

  /** Bytes of replies that were stored. */
  public long storedBytes() {
    return storedBytes.sum();
  }

  /** Replies for which their organization had no room. */
  public long notKept() {
    return notKept.sum();
  }

  /** Replies that could not be. */
  public long notStored() {
    return notStored.sum();
  }
}
