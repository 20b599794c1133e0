package dev.tollgate.server.oauth;

import dev.tollgate.core.catalog.AccessToken;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.oauth.TokenEndpoint.TokenException;
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
 * The access tokens of all service accounts that configurations name, fetched and renewed by one
 * thread. A token is renewed as long as a configuration holds it. Thread safe.
 */
public final class AccessTokens implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AccessTokens.class);

  private final TokenEndpoint endpoint = new TokenEndpoint();
  private final InstantSource clock;
  private final Chores chores;
  private final Map<Secret, Known> known = new HashMap<>();
  private final LongAdder fetched = new LongAdder();
  private final LongAdder failed = new LongAdder();

  private record Known(WeakReference<AccessToken> token, CountDownLatch firstTry) {}

  public AccessTokens() {
    this(InstantSource.system(), Chores.thread());
  }

  AccessTokens(InstantSource clock, Chores chores) {
    this.clock = clock;
    this.chores = chores;
  }

  /** The token of an account, the same one for the same file; it is fetched at once. */
  public AccessToken of(Secret file) {
    synchronized (known) {
      known.values().removeIf(one -> one.token().get() == null);
      Known before = known.get(file);
      AccessToken held = before == null ? null : before.token().get();
      if (held != null) {
        return held;
      }
      var token = new AccessToken();
      var first = new CountDownLatch(1);
      ServiceAccount account = ServiceAccount.parse(file).orElseThrow(); // the loader checked it
      known.put(file, new Known(new WeakReference<>(token), first));
      var renewal = new Renewal(account, new WeakReference<>(token), first);
      token.onRefusal(renewal::askAgain);
      chores.later(Duration.ZERO, renewal);
      return token;
    }
  }

  /** Waits until each was asked for once, so that the first requests find them. */
  public void awaitFirst(Duration atMost) throws InterruptedException {
    long until = System.nanoTime() + atMost.toNanos();
    for (Known one : all()) {
      if (!one.firstTry().await(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        return;
      }
    }
  }

  private Iterable<Known> all() {
    synchronized (known) {
      return known.values().stream().toList();
    }
  }

  /** How often one was fetched. */
  public long fetched() {
    return fetched.sum();
  }

  /** How often one could not be fetched. */
  public long failed() {
    return failed.sum();
  }

  /** How many accounts have none now. */
  public long missing() {
    synchronized (known) {
      return known.values().stream()
          .map(one -> one.token().get())
          .filter(token -> token != null && token.current().isEmpty())
          .count();
    }
  }

  @Override
  public void close() {
    chores.stop();
  }

  /** Fetches one account's token again and again; on the thread. */
  private final class Renewal implements Runnable {
    private static final Duration RETRY_MIN = Duration.ofSeconds(1);
    private static final Duration RETRY_MAX = Duration.ofSeconds(30);

    /** Ahead of a token's end, so that some tries for the next may fail. */
    private static final Duration MARGIN_MAX = Duration.ofMinutes(4);

    private static final int MARGIN_DIVISOR = 5;

    /** One that is refused at once is refused for another reason. */
    private static final Duration AGAIN_AFTER = Duration.ofSeconds(10);

    private final ServiceAccount account;
    private final WeakReference<AccessToken> token;
    private final CountDownLatch firstTry;
    private Duration retry = RETRY_MIN;
    private long fetchedAtSecond;
    private long expiresAtSecond;
    private final AtomicBoolean asked = new AtomicBoolean();

    Renewal(ServiceAccount account, WeakReference<AccessToken> token, CountDownLatch firstTry) {
      this.account = account;
      this.token = token;
      this.firstTry = firstTry;
    }

    @Override
    public void run() {
      AccessToken held = token.get();
      if (held == null) {
        return;
      }
      try {
        renew(held);
      } catch (TokenException | RuntimeException e) {
        failed(held, e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the program ends
      } finally {
        firstTry.countDown();
      }
    }

    /** Somebody was refused with the token: any thread, any number of times. */
    void askAgain() {
      if (asked.compareAndSet(false, true)) {
        chores.later(Duration.ZERO, this::again);
      }
    }

    /** Fetches another ahead of time; the renewal that is due stays due. */
    private void again() {
      asked.set(false);
      AccessToken held = token.get();
      boolean isNew = clock.instant().getEpochSecond() < fetchedAtSecond + AGAIN_AFTER.toSeconds();
      if (held == null || isNew) {
        return;
      }
      try {
        fetch(held);
      } catch (TokenException | RuntimeException e) {
        failed.increment();
        log.warn("the refused access token of {} is not replaced: {}", account, e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the program ends
      }
    }

    private Duration fetch(AccessToken held) throws TokenException, InterruptedException {
      TokenEndpoint.Granted granted = endpoint.ask(account, clock.instant());
      held.replace(granted.token());
      fetched.increment();
      fetchedAtSecond = clock.instant().getEpochSecond();
      expiresAtSecond = fetchedAtSecond + granted.life().toSeconds();
      return granted.life();
    }

    private void renew(AccessToken held) throws TokenException, InterruptedException {
      Duration life = fetch(held);
      retry = RETRY_MIN;
      Duration margin = life.dividedBy(MARGIN_DIVISOR);
      chores.later(life.minus(margin.compareTo(MARGIN_MAX) < 0 ? margin : MARGIN_MAX), this);
    }

    private void failed(AccessToken held, Exception why) {
      failed.increment();
      if (clock.instant().getEpochSecond() >= expiresAtSecond) {
        held.lose();
        log.error("no access token for {}: {}", account, why.getMessage());
      } else {
        log.warn("the access token of {} is not renewed: {}", account, why.getMessage());
      }
      chores.later(retry, this);
      retry = retry.multipliedBy(2).compareTo(RETRY_MAX) < 0 ? retry.multipliedBy(2) : RETRY_MAX;
    }
  }
}
