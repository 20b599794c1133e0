package dev.tollgate.core.egress;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.EndpointTls;
import dev.tollgate.core.egress.PublicAddressResolver.Resolved;
import dev.tollgate.core.net.PublicUrl;
import dev.tollgate.core.net.UrlRules;
import dev.tollgate.core.upstream.AddressConnector;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Iterator;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to the hosts of clients' URLs, after resolving and checking their addresses.
 * The name is resolved anew each time, and TLS uses the name of the URL. Connections are never
 * reused.
 */
public final class PublicConnector {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

  private final PublicAddressResolver resolver;
  private final AddressConnector connector;
  private final Supplier<@Nullable EndpointTls> tls;

  public PublicConnector(PublicAddressResolver resolver, AddressConnector connector) {
    this(resolver, connector, () -> null);
  }

  /**
   * @param tls returns the TLS settings of new connections; null: those of all
   */
  public PublicConnector(
      PublicAddressResolver resolver,
      AddressConnector connector,
      Supplier<@Nullable EndpointTls> tls) {
    this.resolver = resolver;
    this.connector = connector;
    this.tls = tls;
  }

  /** Connection to a host, or the reason why there is none. */
  public sealed interface Connected {
    /** Open channel with autoRead off; the receiver closes it. */
    record Open(Channel channel) implements Connected {}

    /** The name has no address, or one that may not be called. */
    record Unresolved(Resolved why) implements Connected {}

    /** No address accepted a connection. */
    record Unreachable() implements Connected {}

    /** An address accepted a connection, and none TLS under the host's name. */
    record Untrusted() implements Connected {}
  }

  /** Connects on {@code loop}; a cancelled future never delivers a channel. */
  public Future<Connected> connect(PublicUrl url, UrlRules rules, EventLoop loop) {
    assert loop.inEventLoop();
    Promise<Connected> promise = loop.newPromise();
    Future<Resolved> resolving = resolver.resolve(url, rules, loop);
    cancelWith(promise, resolving);
    resolving.addListener(
        (Future<Resolved> done) -> {
          if (done.isSuccess()) {
            resolved(done.getNow(), url, loop, promise);
          }
        });
    return promise;
  }

  private void resolved(
      Resolved resolved, PublicUrl url, EventLoop loop, Promise<Connected> promise) {
    switch (resolved) {
      case Resolved.Checked checked ->
          connect(checked.addresses().iterator(), new Connected.Unreachable(), url, loop, promise);
      case Resolved.Unknown _, Resolved.Refused _, Resolved.Busy _ ->
          promise.trySuccess(new Connected.Unresolved(resolved));
    }
  }

  /**
   * @param otherwise result if no address is left
   */
  private void connect(
      Iterator<InetAddress> addresses,
      Connected otherwise,
      PublicUrl url,
      EventLoop loop,
      Promise<Connected> promise) {
    if (promise.isDone()) {
      return;
    }
    if (!addresses.hasNext()) {
      promise.trySuccess(otherwise);
      return;
    }
    var endpoint = new EndpointIdentity(true, url.host().plain(), url.port(), tls.get(), null);
    Future<Channel> connecting =
        connector.connect(loop, endpoint, addresses.next(), CONNECT_TIMEOUT);
    cancelWith(promise, connecting);
    connecting.addListener(
        (Future<Channel> done) -> {
          if (!done.isSuccess()) {
            boolean isTls = done.cause() instanceof SSLException;
            Connected next = isTls ? new Connected.Untrusted() : otherwise;
            connect(addresses, next, url, loop, promise);
          } else if (!promise.trySuccess(new Connected.Open(done.getNow()))) {
            done.getNow().close(); // cancelled at the same moment
          }
        });
  }

  private static void cancelWith(Promise<Connected> promise, Future<?> future) {
    promise.addListener(
        done -> {
          if (done.isCancelled()) {
            future.cancel(false);
          }
        });
  }
}
