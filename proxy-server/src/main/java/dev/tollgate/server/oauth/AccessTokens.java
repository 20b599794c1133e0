package dev.tollgate.server.oauth;

import dev.tollgate.core.catalog.AccessToken;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.oauth.TokenClient.TokenException;
import dev.tollgate.server.settings.value.ServiceAccount;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cache of OAuth access tokens for all configured Google service accounts, fetched and renewed by
 * one thread. A token is renewed as long as a configuration holds it. Thread safe.
 */
public final class AccessTokens implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AccessTokens.class);

  private final TokenClient endpoint;
  private final InstantSource clock;
  private final TaskScheduler tasks;
  private final Map<Secret, TrackedToken> tracked = new HashMap<>();
  private final LongAdder fetched = new LongAdder();
  private final LongAdder failed = new LongAdder();

  private record TrackedToken(WeakReference<AccessToken> token, CountDownLatch firstAttempt) {}

  public AccessTokens(TokenClient endpoint) {
    this(endpoint, InstantSource.system(), TaskScheduler.thread());
  }

  AccessTokens(TokenClient endpoint, InstantSource clock, TaskScheduler tasks) {
    this.endpoint = endpoint;
    this.clock = clock;
    this.tasks = tasks;
  }

  /** Returns the token of an account, one per file; a new one is fetched at once. */
  public AccessToken of(Secret file) {
    synchronized (tracked) {
      tracked.values().removeIf(one -> one.token().get() == null);
      TrackedToken before = tracked.get(file);
      AccessToken accessToken = before == null ? null : before.token().get();
      if (accessToken != null) {
        return accessToken;
      }
      var token = new AccessToken();
      var first = new CountDownLatch(1);
      ServiceAccount account =
          ServiceAccount.parse(file).orElseThrow(); // the settings loader has checked it
      tracked.put(file, new TrackedToken(new WeakReference<>(token), first));
      var renewal = new Renewal(account, new WeakReference<>(token), first);
      token.onRefusal(renewal::requestRefetch);
      tasks.schedule(Duration.ZERO, renewal);
      return token;
    }
  }

  /** Waits until each token was requested once, so that the first requests find them. */
  public void awaitFirst(Duration atMost) throws InterruptedException {
    long until = System.nanoTime() + atMost.toNanos();
    for (TrackedToken one : all()) {
      if (!one.firstAttempt().await(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        return;
      }
    }
  }

  private Iterable<TrackedToken> all() {
    synchronized (tracked) {
      return tracked.values().stream().toList();
    }
  }

  /** Returns the number of fetched tokens. */
  public long fetched() {
    return fetched.sum();
  }

  /** Returns the number of failed fetches. */
  public long failed() {
    return failed.sum();
  }

  /** Returns the number of accounts without a valid token. */
  public long missing() {
    synchronized (tracked) {
      return tracked.values().stream()
          .map(one -> one.token().get())
          .filter(token -> token != null && token.current().isEmpty())
          .count();
    }
  }

  @Override
  public void close() {
    tasks.stop();
  }

  /** Renewal task of one account's token, which runs on the thread before the token expires. */
  private final class Renewal implements Runnable {
    private static final Duration RETRY_MIN = Duration.ofSeconds(1);
    private static final Duration RETRY_MAX = Duration.ofSeconds(30);

    /** Renewal starts this long before expiry, so that some attempts may fail. */
    private static final Duration MARGIN_MAX = Duration.ofMinutes(4);

    private static final int MARGIN_DIVISOR = 5;

    /** A token refused within this time after its fetch is refused for another reason. */
    private static final Duration REFETCH_AFTER = Duration.ofSeconds(10);

    private final ServiceAccount account;
    private final WeakReference<AccessToken> token;
    private final CountDownLatch firstAttempt;
    private Duration retry = RETRY_MIN;
    private long fetchedAtSecond;
    private long expiresAtSecond;
    private final AtomicBoolean refetchRequested = new AtomicBoolean();

    Renewal(ServiceAccount account, WeakReference<AccessToken> token, CountDownLatch firstAttempt) {
      this.account = account;
      this.token = token;
      this.firstAttempt = firstAttempt;
    }

    @Override
    public void run() {
      AccessToken accessToken = token.get();
      if (accessToken == null) {
        return;
      }
      try {
        renew(accessToken);
      } catch (TokenException | RuntimeException e) {
        failed(accessToken, e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the process ends
      } finally {
        firstAttempt.countDown();
      }
    }

    /** Reports that a provider refused the token. Any thread may call it any number of times. */
    void requestRefetch() {
      if (refetchRequested.compareAndSet(false, true)) {
        tasks.schedule(Duration.ZERO, this::refetch);
      }
    }

    /** Fetches a new token ahead of time; the scheduled renewal stays scheduled. */
    private void refetch() {
      refetchRequested.set(false);
      AccessToken accessToken = token.get();
      boolean isNew =
          clock.instant().getEpochSecond() < fetchedAtSecond + REFETCH_AFTER.toSeconds();
      if (accessToken == null || isNew) {
        return;
      }
      try {
        fetch(accessToken);
      } catch (TokenException | RuntimeException e) {
        failed.increment();
        LOG.warn("the refused access token of {} is not replaced: {}", account, e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the process ends
      }
    }

    private Duration fetch(AccessToken accessToken) throws TokenException, InterruptedException {
      TokenClient.Granted granted = endpoint.requestToken(account, clock.instant());
      accessToken.replace(granted.token());
      fetched.increment();
      fetchedAtSecond = clock.instant().getEpochSecond();
      expiresAtSecond = fetchedAtSecond + granted.lifetime().toSeconds();
      return granted.lifetime();
    }

    private void renew(AccessToken accessToken) throws TokenException, InterruptedException {
      Duration lifetime = fetch(accessToken);
      retry = RETRY_MIN;
      Duration margin = lifetime.dividedBy(MARGIN_DIVISOR);
      tasks.schedule(lifetime.minus(margin.compareTo(MARGIN_MAX) < 0 ? margin : MARGIN_MAX), this);
    }

    private void failed(AccessToken accessToken, Exception why) {
      failed.increment();
      if (clock.instant().getEpochSecond() >= expiresAtSecond) {
        accessToken.clear();
        LOG.error("no access token for {}: {}", account, why.getMessage());
      } else {
        LOG.warn("the access token of {} is not renewed: {}", account, why.getMessage());
      }
      tasks.schedule(retry, this);
      retry = retry.multipliedBy(2).compareTo(RETRY_MAX) < 0 ? retry.multipliedBy(2) : RETRY_MAX;
    }
  }
}
