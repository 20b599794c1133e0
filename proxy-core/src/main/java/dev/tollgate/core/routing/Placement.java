package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.AccessToken;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.CircuitEffect;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One try at one provider with one of its keys: what comes of it is told to the circuit, the key
 * and the figures. Ended exactly once. Loop-confined.
 */
public final class Placement {
  private static final Logger LOG = LoggerFactory.getLogger(Placement.class);
  private static final double LATE_PERCENTILE = 0.95;
  private static final double NANOS_PER_MILLI = 1e6;

  /** Answers take so much longer than most now and then. */
  private static final int LATE_FACTOR = 3;

  private static final int UNAUTHORIZED = 401;

  /** How long the next token of an account may take. */
  private static final int TOKEN_SECONDS = 10;

  private final Candidate candidate;
  private final @Nullable Credential credential;
  private final Optional<Secret> sent;
  private final ProviderHealth provider;
  private final KeyHealth key;
  private final RouteHealth route;
  private final Breaker.Permit permit;
  private final boolean probe;
  private final long begunNanos;
  private long contentNanos;
  private boolean contentSeen;
  private boolean continued;
  private boolean unresponsive;
  private boolean ended;

  Placement(
      Candidate candidate,
      @Nullable Credential credential,
      ProviderHealth provider,
      KeyHealth key,
      RouteHealth route,
      Breaker.Permit permit,
      long begunNanos) {
    this.candidate = candidate;
    this.credential = credential;
    this.sent =
        credential == null ? Optional.empty() : credential.token().flatMap(AccessToken::current);
    this.provider = provider;
    this.key = key;
    this.route = route;
    this.permit = permit;
    this.probe = permit.probe() > 0 || key.isRetired();
    this.begunNanos = begunNanos;
    provider.begun();
  }

  public Candidate candidate() {
    return candidate;
  }

  /** The key to send; null: none. */
  public @Nullable Credential credential() {
    return credential;
  }

  /** The head of an answer came. */
  public void answered(long nowNanos) {
    provider.answered(nowNanos);
  }

  /**
   * No byte of an answer came so far. Where that is much longer than usual, and nobody else was
   * answered meanwhile either, the circuit hears of it before the clocks run out. Says whether the
   * provider is given up: it seems to answer nobody.
   */
  public boolean isUnresponsive(boolean stream, long nowNanos) {
    if (ended || provider.hasAnsweredSince(begunNanos) || !isLate(stream, nowNanos)) {
      return false;
    }
    if (!unresponsive) {
      unresponsive = true;
      trip("it answers nobody", nowNanos);
    }
    return !(provider.breaker().state() instanceof Breaker.State.Closed);
  }

  /** Where it is not known how long most answers take, none is late. */
  private boolean isLate(boolean stream, long nowNanos) {
    OptionalDouble usualMillis = route.usualMillis(stream, LATE_PERCENTILE, nowNanos);
    return usualMillis.isPresent()
        && nowNanos - begunNanos > LATE_FACTOR * NANOS_PER_MILLI * usualMillis.getAsDouble();
  }

  /** The first content of a stream came: the provider works, however long the stream is. */
  public void firstContent(long nowNanos) {
    contentSeen = true;
    contentNanos = nowNanos;
    confirmWorking();
    route.firstContent(nowNanos - begunNanos, nowNanos);
  }

  /** The first content came of a stream that another provider had begun. */
  public void continued() {
    continued = true;
    confirmWorking();
  }

  /** Whether its circuit or its key hangs on how it ends. */
  public boolean isProbe() {
    return probe;
  }

  /**
   * Whether this try has the turn to show whether the provider works, of which nothing was heard in
   * many tries because others were faster. Asked once: the turn is taken with it.
   */
  public boolean tryClaimProbe() {
    return provider.tryClaimProbe();
  }

  /** Another provider was faster: it takes at least so long, which is all that is known. */
  public void hedgeLost(long nowNanos) {
    if (!contentSeen && !ended) {
      provider.hedgesLost();
      route.firstContent(nowNanos - begunNanos, nowNanos);
    }
  }

  private void confirmWorking() {
    provider.resetHedgesLost();
    provider.breaker().succeeded(permit);
    route.served();
    confirmKeyWorks();
  }

  private void confirmKeyWorks() {
    if (key.succeeded(begunNanos)) {
      LOG.info("provider {} takes key {} again", candidate.id(), fingerprint());
    }
  }

  /** The reply is complete. */
  public void succeeded(long tokens, long nowNanos) {
    if (!end()) {
      return;
    }
    if (continued) {
      return; // how fast it is says nothing about whole answers
    }
    if (contentSeen) {
      route.generated(tokens, nowNanos - contentNanos, nowNanos);
      return;
    }
    confirmWorking();
    route.plain(nowNanos - begunNanos, nowNanos);
    route.generated(tokens, nowNanos - begunNanos, nowNanos);
  }

  /** The try failed. */
  public void failed(UpstreamFailure failure, long nowNanos) {
    if (end()) {
      report(failure, nowNanos);
    }
  }

  /** The try ended for a reason that says nothing about the provider. */
  public void neutral(long nowNanos) {
    if (end()) {
      provider.breaker().neutral(permit, nowNanos);
      key.neutral(begunNanos, nowNanos);
    }
  }

  private void report(UpstreamFailure failure, long nowNanos) {
    if (failure.circuitEffect() == CircuitEffect.TRIPS || failure.status() > 0) {
      provider.resetHedgesLost();
    }
    if (failure.provesKeyAccepted()) {
      confirmKeyWorks();
    } else if (failure.keyEffect() != CircuitEffect.RETIRES_KEY) {
      key.neutral(begunNanos, nowNanos);
    }
    if (failure.circuitEffect() == CircuitEffect.TRIPS && !unresponsive) {
      trip(failure.kind(), nowNanos);
    } else {
      provider.breaker().neutral(permit, nowNanos);
    }
    switch (failure.keyEffect()) {
      case COOLS_DOWN_KEY -> key.limited(failure.retryAfterSeconds(), begunNanos, nowNanos);
      case RETIRES_KEY -> refused(failure, nowNanos);
      case ALARMS -> {
        if (route.missing()) {
          LOG.error(
              "provider {} does not know the model {}",
              candidate.id(),
              candidate.route().upstreamModel());
        }
      }
      case TRIPS, NEUTRAL -> {}
    }
  }

  /** A token may be revoked ahead of its end: the account's next one is waited for first. */
  private void refused(UpstreamFailure failure, long nowNanos) {
    boolean another =
        failure.status() == UNAUTHORIZED
            && credential != null
            && credential.token().map(token -> token.refused(sent)).orElse(false);
    if (another) {
      LOG.warn(
          "provider {} refused a token of {}: another is fetched", candidate.id(), fingerprint());
      key.limited(TOKEN_SECONDS, begunNanos, nowNanos);
    } else if (key.refused(begunNanos, nowNanos)) {
      LOG.error(
          "provider {} refused key {} with status {}: it is not used for now",
          candidate.id(),
          fingerprint(),
          failure.status());
    }
  }

  private void trip(Object cause, long nowNanos) {
    if (provider.breaker().failed(permit, candidate.provider().circuit(), nowNanos)) {
      LOG.warn("the circuit of provider {} opened: {}", candidate.id(), cause);
    }
  }

  private String fingerprint() {
    return credential == null ? "none" : credential.fingerprint();
  }

  private boolean end() {
    if (ended) {
      return false;
    }
    ended = true;
    provider.ended();
    return true;
  }
}
