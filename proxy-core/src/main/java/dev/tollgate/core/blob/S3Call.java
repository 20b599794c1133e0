package dev.tollgate.core.blob;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.catalog.Provider.PoolLimits;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.upstream.Acquired;
import dev.tollgate.core.upstream.Acquisition;
import dev.tollgate.core.upstream.Breakage;
import dev.tollgate.core.upstream.Lease;
import dev.tollgate.core.upstream.UpstreamListener;
import dev.tollgate.core.upstream.UpstreamPool;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One request to a bucket, repeated while that may help and its time lasts. Told of its end once.
 * Loop-confined.
 */
final class S3Call implements UpstreamListener {
  private static final int TRIES_MAX = 3;
  private static final long BACKOFF_MILLIS = 100;
  private static final Duration CONNECT_MAX = Duration.ofSeconds(2);
  private static final int ERROR_BYTES_MAX = 2048;
  private static final Pattern CODE = Pattern.compile("<Code>([A-Za-z0-9]{1,64})</Code>");

  /** Outputs are few and large: more connections would only share the same line. */
  private static final PoolLimits POOL = new PoolLimits(32, 256, Duration.ofSeconds(20));

  private final S3Request request;
  private final S3Bucket bucket;
  private final UpstreamPool pool;
  private final ByteBufAllocator allocator;
  private final EventLoop loop;
  private Consumer<Outcome> whenDone = _ -> {};
  private @Nullable ScheduledFuture<?> deadline;
  private @Nullable ScheduledFuture<?> backoff;
  private @Nullable Acquisition acquisition;
  private @Nullable Lease lease;
  private final StringBuilder error = new StringBuilder();
  private String lastFailure = "no answer";
  private int tries;
  private int status;
  private boolean inDoubt;
  private boolean over;

  /** How a call ended. */
  sealed interface Outcome {
    record Done() implements Outcome {}

    /**
     * It failed, or nobody knows.
     *
     * @param isInDoubt whether it may have been done all the same
     */
    record Failed(BlobFault fault, String reason, boolean isInDoubt) implements Outcome {}
  }

  S3Call(
      S3Request request,
      S3Bucket bucket,
      UpstreamPool pool,
      ByteBufAllocator allocator,
      EventLoop loop) {
    this.request = request;
    this.bucket = bucket;
    this.pool = pool;
    this.allocator = allocator;
    this.loop = loop;
  }

  void start(Consumer<Outcome> listener) {
    whenDone = listener;
    long bytes = request.body() == null ? 0 : request.body().readableBytes();
    long nanos = StoringTime.of(bucket.timeout(), bytes).toNanos();
    deadline = loop.schedule(this::timedOut, nanos, TimeUnit.NANOSECONDS);
    ask(false);
  }

  private void timedOut() {
    inDoubt |= lease != null;
    fail(BlobFault.TIMED_OUT, "no time is left; before: " + lastFailure);
  }

  private void ask(boolean fresh) {
    tries++;
    status = 0;
    error.setLength(0);
    Acquisition wish = pool.acquire(bucket.endpoint(), POOL, CONNECT_MAX, fresh, this::acquired);
    acquisition = over || lease != null ? null : wish;
  }

  private void acquired(Acquired acquired) {
    acquisition = null;
    switch (acquired) {
      case Acquired.Leased leased when over -> leased.lease().end();
      case Acquired.Leased leased -> send(leased.lease());
      case Acquired.Unreachable unreachable -> again(BlobFault.UNREACHABLE, unreachable.reason());
      case Acquired.TimedOut _ -> again(BlobFault.UNREACHABLE, "no connection in time");
      case Acquired.PoolFull _ -> fail(BlobFault.BUSY, "all connections to it are in use");
    }
  }

  private void send(Lease own) {
    lease = own;
    own.send(request.encode(allocator), this);
    if (lease == own) {
      own.read();
    }
  }

  // The answer

  @Override
  public void head(ResponseHead head) {
    status = head.status();
  }

  @Override
  public void body(ByteBuf bytes) {
    int room = Math.min(ERROR_BYTES_MAX - error.length(), bytes.readableBytes());
    error.append(bytes.toString(bytes.readerIndex(), Math.max(0, room), UTF_8));
    bytes.release();
  }

  @Override
  public void readComplete() {
    if (lease != null) {
      lease.read();
    }
  }

  @Override
  public void bodyEnd() {
    String code = code();
    String told = status + code;
    boolean isDone = status / 100 == 2 || isGone(code);
    if (isDone) {
      giveBack();
      end(new Outcome.Done());
    } else if (status == 507 || told.contains("QuotaExceeded")) {
      fail(BlobFault.FULL, told);
    } else if (status >= 500 || status == 429 || isSlow(code)) {
      again(BlobFault.FAILED, told);
    } else {
      fail(BlobFault.REFUSED, told);
    }
  }

  /** What is to be deleted is not there; a bucket that is not there is another matter. */
  private boolean isGone(String code) {
    boolean isOfKey = code.isEmpty() || code.equals(" NoSuchKey");
    return status == 404 && request.body() == null && isOfKey;
  }

  /** It gave up waiting for the body, which the next time may come faster. */
  private boolean isSlow(String code) {
    return status == 408 || code.equals(" RequestTimeout");
  }

  /** What S3 says of a failure, which is one word. */
  private String code() {
    Matcher code = CODE.matcher(error);
    return code.find() ? " " + code.group(1) : "";
  }

  @Override
  public void broken(Breakage breakage) {
    inDoubt |= lease != null;
    boolean wasStale = lease != null && lease.isReused() && status == 0;
    giveBack();
    if (wasStale && tries == 1) {
      lastFailure = "a connection that had idled was closed";
      ask(true);
    } else {
      again(BlobFault.FAILED, "the connection broke: " + breakage);
    }
  }

  // Its end

  private void again(BlobFault fault, String reason) {
    giveBack();
    if (over) {
      return;
    }
    lastFailure = reason;
    if (tries >= TRIES_MAX) {
      end(new Outcome.Failed(fault, reason, inDoubt));
      return;
    }
    long millis = BACKOFF_MILLIS << tries;
    long jittered = millis / 2 + ThreadLocalRandom.current().nextLong(millis);
    backoff = loop.schedule(() -> ask(false), jittered, TimeUnit.MILLISECONDS);
  }

  private void fail(BlobFault fault, String reason) {
    giveBack();
    end(new Outcome.Failed(fault, reason, inDoubt));
  }

  private void giveBack() {
    Lease held = lease;
    lease = null;
    if (held != null) {
      held.end();
    }
  }

  private void end(Outcome outcome) {
    if (over) {
      return;
    }
    over = true;
    if (deadline != null) {
      deadline.cancel(false);
    }
    if (backoff != null) {
      backoff.cancel(false);
    }
    if (acquisition != null) {
      acquisition.cancel();
    }
    whenDone.accept(outcome);
  }
}
