package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.AccessToken;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.CircuitEffect;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assignment of one attempt to a route and a key of a provider, counted until it is ended. Its
 * outcome is reported to the circuits, to the key's health and to the route's statistics. Ended
 * exactly once. Loop-confined.
 */
public final class Placement {
  private static final Logger LOG = LoggerFactory.getLogger(Placement.class);
  private static final double LATE_PERCENTILE = 0.95;
  private static final double NANOS_PER_MILLI = 1e6;

  /**
   * Factor over the usual latency beyond which a response is late; now and then a response takes
   * three times as long.
   */
  private static final int LATE_FACTOR = 3;

  private static final int UNAUTHORIZED = 401;

  /** Longest wait for the next access token of an account. */
  private static final int TOKEN_SECONDS = 10;

  private final Candidate candidate;
  private final @Nullable Credential credential;
  private final Optional<Secret> sent;
  private final ProviderHealth provider;
  private final KeyHealth key;
  private final RouteHealth route;
  private final CircuitPermits permits;
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
      CircuitPermits permits,
      long begunNanos) {
    this.candidate = candidate;
    this.credential = credential;
    this.sent =
        credential == null ? Optional.empty() : credential.token().flatMap(AccessToken::current);
    this.provider = provider;
    this.key = key;
    this.route = route;
    this.permits = permits;
    this.probe = permits.isProbe() || key.isRetired();
    this.begunNanos = begunNanos;
    provider.begun();
  }

  public Candidate candidate() {
    return candidate;
  }

  /** Returns the key to send; null if the provider has none. */
  public @Nullable Credential credential() {
    return credential;
  }

  /** Reports that a response head arrived. */
  public void answered(long nowNanos) {
    provider.answered(nowNanos);
    permits.reached(nowNanos);
  }

  /**
   * Reports that no byte of the response has arrived so far. If that takes much longer than usual,
   * and the provider answered no other request meanwhile, the circuits count a failure before the
   * timeouts expire. Returns true if the attempt is to be abandoned, because the provider does not
   * respond to any request.
   */
  public boolean isUnresponsive(boolean stream, long nowNanos) {
    if (ended || provider.hasAnsweredSince(begunNanos) || !isLate(stream, nowNanos)) {
      return false;
    }
    if (!unresponsive) {
      unresponsive = true;
      log(permits.failed(nowNanos), "it does not respond to any request");
    }
    return !permits.isClosed(nowNanos);
  }

  /** True if the attempt takes longer than nearly all before it; false if no latency is known. */
  private boolean isLate(boolean stream, long nowNanos) {
    OptionalDouble usualMillis = route.usualMillis(stream, LATE_PERCENTILE, nowNanos);
    return usualMillis.isPresent()
        && nowNanos - begunNanos > LATE_FACTOR * NANOS_PER_MILLI * usualMillis.getAsDouble();
  }

  /**
   * Reports the first content of a stream, which shows that the provider works, however long the
   * stream is.
   */
  public void firstContent(long nowNanos) {
    contentSeen = true;
    contentNanos = nowNanos;
    confirmWorking(nowNanos);
    route.firstContent(nowNanos - begunNanos, nowNanos);
  }

  /** Reports the first content of a stream that another provider had begun. */
  public void continued(long nowNanos) {
    continued = true;
    confirmWorking(nowNanos);
  }

  /** True if the state of a circuit or of the key depends on the outcome. */
  public boolean isProbe() {
    return probe;
  }

  /**
   * True if this attempt is to show whether the provider works, after many attempts that were
   * canceled because other providers were faster. Claims the probe: the next caller gets false.
   */
  public boolean tryClaimProbe() {
    return provider.tryClaimProbe();
  }

  /**
   * Reports that another provider was faster. The time so far is a lower bound of this provider's
   * latency.
   */
  public void hedgeLost(long nowNanos) {
    if (!contentSeen && !ended) {
      provider.hedgesLost();
      route.firstContent(nowNanos - begunNanos, nowNanos);
    }
  }

  private void confirmWorking(long nowNanos) {
    provider.resetHedgesLost();
    permits.succeeded(nowNanos);
    route.served();
    confirmKeyWorks();
  }

  private void confirmKeyWorks() {
    if (key.succeeded(begunNanos)) {
      LOG.info("provider {} accepts key {} again", candidate.id(), fingerprint());
    }
  }

  /** Ends the placement with a complete reply. */
  public void succeeded(long tokens, long nowNanos) {
    if (!end()) {
      return;
    }
    if (continued) {
      return; // its speed is not that of whole replies
    }
    if (contentSeen) {
      route.generated(tokens, nowNanos - contentNanos, nowNanos);
      return;
    }
    confirmWorking(nowNanos);
    route.plain(nowNanos - begunNanos, nowNanos);
    route.generated(tokens, nowNanos - begunNanos, nowNanos);
  }

  /** Ends the placement with a failure. */
  public void failed(UpstreamFailure failure, long nowNanos) {
    if (end()) {
      report(failure, nowNanos);
    }
  }

  /** Ends the placement with an outcome that does not show the provider's health. */
  public void neutral(long nowNanos) {
    if (end()) {
      permits.neutral(nowNanos);
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
    if (failure.isOfEndpoint()) {
      log(permits.unreachable(nowNanos), failure.kind());
    } else if (failure.circuitEffect() == CircuitEffect.TRIPS && !unresponsive) {
      log(permits.failed(nowNanos), failure.kind());
    } else {
      permits.neutral(nowNanos);
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

  /**
   * Reports a refused credential. A token may be revoked before it expires: the account's next
   * token is awaited first.
   */
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

  private void log(Set<CircuitScope> opened, Object cause) {
    for (CircuitScope scope : opened) {
      switch (scope) {
        case ENDPOINT ->
            LOG.warn("the circuit of provider {} opened for all: {}", candidate.id(), cause);
        case MODEL ->
            LOG.warn(
                "the circuit of {} at provider {} opened for all: {}",
                candidate.route().upstreamModel(),
                candidate.id(),
                cause);
        case ORGANIZATION ->
            LOG.info(
                "the circuit of {} at provider {} opened for organization {}: {}",
                candidate.route().upstreamModel(),
                candidate.id(),
                permits.org(),
                cause);
      }
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
