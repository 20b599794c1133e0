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
 * Looks up the hosts of clients' URLs and judges every answer: one address that may not be called
 * refuses all, or who owns the name would only have to wait for the other. Shared by all loops.
 */
public final class PublicAddressResolver {
  /** Names that are looked up at the same time. */
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

  /** What is known of a host. */
  public sealed interface Resolved {
    /** All its addresses, at least one, in the order of the answer; each may be called. */
    record Checked(List<InetAddress> addresses) implements Resolved {}

    /** There is no such name, or nobody said so in time. */
    record Unknown() implements Resolved {}

    /** It has an address that may not be called, or more of them than are looked at. */
    record Refused() implements Resolved {}

    /** Too many names are being looked up. */
    record Busy() implements Resolved {}
  }

  /** Names being looked up now. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Asks for a host's addresses; an address is its own. The answer is for one connection. */
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
