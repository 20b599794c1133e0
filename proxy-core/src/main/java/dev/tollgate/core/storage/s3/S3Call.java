package dev.tollgate.core.storage.s3;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.catalog.Provider.PoolLimits;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.StoreTimeout;
import dev.tollgate.core.upstream.Acquisition;
import dev.tollgate.core.upstream.AcquisitionResult;
import dev.tollgate.core.upstream.ConnectionFailure;
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
 * HTTP request to an S3 bucket with its retries, made while a retry may help and time remains. The
 * call reports its end once and is confined to its event loop.
 */
final class S3Call implements UpstreamListener {
  private static final int ATTEMPTS_MAX = 3;
  private static final long BACKOFF_MILLIS = 100;
  private static final Duration CONNECT_MAX = Duration.ofSeconds(2);
  private static final int ERROR_BYTES_MAX = 2048;
  private static final Pattern CODE = Pattern.compile("<Code>([A-Za-z0-9]{1,64})</Code>");

  /** Outputs are few and large: more connections would only share the same bandwidth. */
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
  private int attempts;
  private int status;
  private boolean inDoubt;
  private boolean finished;

  /** Result of an S3 call after its last retry. */
  sealed interface Outcome {
    record Done() implements Outcome {}

    /**
     * Failed call, or one with an unknown result.
     *
     * @param isInDoubt true if the store may have carried it out all the same
     */
    record Failed(BlobFailure failure, String reason, boolean isInDoubt) implements Outcome {}
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
    long nanos = StoreTimeout.of(bucket.timeout(), bytes).toNanos();
    deadline = loop.schedule(this::timedOut, nanos, TimeUnit.NANOSECONDS);
    startAttempt(false);
  }

  private void timedOut() {
    inDoubt |= lease != null;
    fail(BlobFailure.TIMED_OUT, "timed out; last failure: " + lastFailure);
  }

  private void startAttempt(boolean fresh) {
    attempts++;
    status = 0;
    error.setLength(0);
    Acquisition pending = pool.acquire(bucket.endpoint(), POOL, CONNECT_MAX, fresh, this::acquired);
    acquisition = finished || lease != null ? null : pending;
  }

  private void acquired(AcquisitionResult acquired) {
    acquisition = null;
    switch (acquired) {
      case AcquisitionResult.Leased leased when finished -> leased.lease().end();
      case AcquisitionResult.Leased leased -> send(leased.lease());
      case AcquisitionResult.Unreachable unreachable ->
          retryOrFail(BlobFailure.UNREACHABLE, unreachable.reason());
      case AcquisitionResult.TimedOut timedOut ->
          retryOrFail(BlobFailure.UNREACHABLE, timedOut.reason());
      case AcquisitionResult.PoolFull _ ->
          fail(BlobFailure.BUSY, "all connections to it are in use");
    }
  }

  private void send(Lease acquiredLease) {
    lease = acquiredLease;
    acquiredLease.send(request.encode(allocator), this);
    if (lease == acquiredLease) {
      acquiredLease.read();
    }
  }

  // Reply

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
    String description = status + code;
    boolean isDone = status / 100 == 2 || isAlreadyDeleted(code);
    if (isDone) {
      endLease();
      end(new Outcome.Done());
    } else if (status == 507 || description.contains("QuotaExceeded")) {
      fail(BlobFailure.FULL, description);
    } else if (status >= 500 || status == 429 || isBodyTimeout(code)) {
      retryOrFail(BlobFailure.FAILED, description);
    } else {
      fail(BlobFailure.REFUSED, description);
    }
  }

  /** True if the object to delete does not exist; a bucket that does not exist is an error. */
  private boolean isAlreadyDeleted(String code) {
    boolean isOfKey = code.isEmpty() || code.equals(" NoSuchKey");
    return status == 404 && request.body() == null && isOfKey;
  }

  /** True if the store timed out waiting for the body, which a retry may send faster. */
  private boolean isBodyTimeout(String code) {
    return status == 408 || code.equals(" RequestTimeout");
  }

  /** Returns the error code of S3, a single word. */
  private String code() {
    Matcher code = CODE.matcher(error);
    return code.find() ? " " + code.group(1) : "";
  }

  @Override
  public void connectionFailed(ConnectionFailure breakage) {
    inDoubt |= lease != null;
    boolean wasStale = lease != null && lease.isReused() && status == 0;
    endLease();
    if (wasStale && attempts == 1) {
      lastFailure = "an idle connection was closed";
      startAttempt(true);
    } else {
      retryOrFail(BlobFailure.FAILED, "the connection broke: " + breakage);
    }
  }

  // End

  private void retryOrFail(BlobFailure failure, String reason) {
    endLease();
    if (finished) {
      return;
    }
    lastFailure = reason;
    if (attempts >= ATTEMPTS_MAX) {
      end(new Outcome.Failed(failure, reason, inDoubt));
      return;
    }
    long millis = BACKOFF_MILLIS << attempts;
    long jittered = millis / 2 + ThreadLocalRandom.current().nextLong(millis);
    backoff = loop.schedule(() -> startAttempt(false), jittered, TimeUnit.MILLISECONDS);
  }

  private void fail(BlobFailure failure, String reason) {
    endLease();
    end(new Outcome.Failed(failure, reason, inDoubt));
  }

  private void endLease() {
    Lease current = lease;
    lease = null;
    if (current != null) {
      current.end();
    }
  }

  private void end(Outcome outcome) {
    if (finished) {
      return;
    }
    finished = true;
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
