package dev.tollgate.core.egress;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.egress.PublicAddressResolver.Resolved;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.net.PublicUrl;
import dev.tollgate.core.net.UrlRules;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Tells which providers have a private address, from where a URL of a client could reach what is
 * not public. Loopback does not count. An answer holds for a minute. Shared by all loops.
 */
public final class ProviderAddresses {
  private static final Duration VALID = Duration.ofMinutes(1);
  private static final Set<String> LOOPBACK_NAMES = Set.of("localhost");
  private static final CidrSet LOOPBACK = CidrSet.parse(List.of("127.0.0.0/8", "::1/128"));

  private final PublicAddressResolver resolver;

  /** By endpoint: as many as the configurations of this process name. */
  private final Map<EndpointIdentity, Known> known = new ConcurrentHashMap<>();

  private record Known(boolean isPrivate, long untilNanos) {}

  public ProviderAddresses(PublicAddressResolver resolver) {
    this.resolver = resolver;
  }

  /**
   * Tells on the caller's loop if a provider's address is private; the answer may come before this
   * method returns. A name that does not resolve is private only if it looks local.
   */
  public void isPrivate(EndpointIdentity endpoint, EventLoop loop, Consumer<Boolean> whenKnown) {
    Known last = known.get(endpoint);
    if (last != null && loop.ticker().nanoTime() - last.untilNanos() < 0) {
      whenKnown.accept(last.isPrivate());
      return;
    }
    var rules =
        new UrlRules(
            Set.of(endpoint.port()),
            LOOPBACK_NAMES,
            LOOPBACK,
            CidrSet.NONE,
            Set.of(),
            CidrSet.NONE);
    switch (rules.check(url(endpoint))) {
      case PublicUrl.UrlParseResult.Malformed _, PublicUrl.UrlParseResult.Refused _ ->
          whenKnown.accept(true);
      case PublicUrl.UrlParseResult.Valid valid ->
          resolver
              .resolve(valid.url(), rules, loop)
              .addListener(
                  (Future<Resolved> done) ->
                      whenKnown.accept(learned(endpoint, done.getNow(), loop)));
    }
  }

  private static String url(EndpointIdentity endpoint) {
    String host = endpoint.host();
    return "https://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + endpoint.port();
  }

  private boolean learned(EndpointIdentity endpoint, Resolved answer, EventLoop loop) {
    boolean isPrivate =
        switch (answer) {
          case Resolved.Refused _, Resolved.Busy _ -> true;
          case Resolved.Checked _, Resolved.Unknown _ -> false;
        };
    if (!(answer instanceof Resolved.Busy)) {
      known.put(endpoint, new Known(isPrivate, loop.ticker().nanoTime() + VALID.toNanos()));
    }
    return isPrivate;
  }
}
