package dev.tollgate.core.egress;

import dev.tollgate.core.net.PublicUrl;
import dev.tollgate.core.net.PublicUrl.Host;
import dev.tollgate.core.net.UrlRules;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Resolves the hosts of clients' URLs to addresses and refuses a host if any of them is forbidden.
 * Otherwise the owner of the name would only have to wait for another address to be chosen. Shared
 * by all loops.
 */
public final class PublicAddressResolver {
  /** Names that are resolved at the same time. */
  public static final int LOOKUPS_MAX = 256;

  private static final int ANSWERS_MAX = 16;
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final Resolved UNKNOWN = new Resolved.Unknown();
  private static final Resolved REFUSED = new Resolved.Refused();
  private static final Resolved BUSY = new Resolved.Busy();

  private final DnsResolver dns;
  private final AtomicInteger inFlight = new AtomicInteger();

  public PublicAddressResolver(DnsResolver dns) {
    this.dns = dns;
  }

  /** Addresses of a host, or the reason why it may not or cannot be called. */
  public sealed interface Resolved {
    /** All addresses, at least one, in the order of the DNS reply; each may be called. */
    record Checked(List<InetAddress> addresses) implements Resolved {}

    /** The name does not exist, or DNS did not answer in time. */
    record Unknown() implements Resolved {}

    /** One of the addresses may not be called, or there are more than are checked. */
    record Refused() implements Resolved {}

    /** Too many names are being resolved. */
    record Busy() implements Resolved {}
  }

  /** Returns the number of names being resolved. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Resolves the host of a URL; a literal address is its own result. Valid for one connection. */
  public Future<Resolved> resolve(PublicUrl url, UrlRules rules, EventLoop loop) {
    return switch (url.host()) {
      case Host.Literal literal ->
          loop.newSucceededFuture(checked(url, rules, List.of(literal.address())));
      case Host.Name name -> lookUp(name, url, rules, loop);
    };
  }

  private Future<Resolved> lookUp(Host.Name name, PublicUrl url, UrlRules rules, EventLoop loop) {
    if (inFlight.incrementAndGet() > LOOKUPS_MAX) {
      inFlight.decrementAndGet();
      return loop.newSucceededFuture(BUSY);
    }
    Promise<Resolved> promise = loop.newPromise();
    Future<List<InetAddress>> answer = dns.resolveAll(loop, name.text());
    ScheduledFuture<?> timeout =
        loop.schedule(() -> promise.trySuccess(UNKNOWN), TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
    promise.addListener(
        done -> {
          inFlight.decrementAndGet();
          timeout.cancel(false);
          answer.cancel(false);
        });
    answer.addListener(
        (Future<List<InetAddress>> done) ->
            promise.trySuccess(done.isSuccess() ? checked(url, rules, done.getNow()) : UNKNOWN));
    return promise;
  }

  private static Resolved checked(PublicUrl url, UrlRules rules, List<InetAddress> answers) {
    if (answers.isEmpty()) {
      return UNKNOWN;
    }
    boolean isOpen =
        answers.size() <= ANSWERS_MAX
            && answers.stream().allMatch(address -> rules.mayCall(url, address));
    return isOpen ? new Resolved.Checked(List.copyOf(answers)) : REFUSED;
  }
}
