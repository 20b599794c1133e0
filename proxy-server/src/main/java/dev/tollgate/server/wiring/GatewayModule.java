package dev.tollgate.server.wiring;

import dev.tollgate.core.api.responses.ResponseEventChoice;
import dev.tollgate.core.exchange.frame.ExchangeOptions;
import dev.tollgate.core.http.Cors;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.pipeline.Gateway;
import dev.tollgate.core.pipeline.GatewayGauges;
import dev.tollgate.core.pipeline.GatewayOptions;
import dev.tollgate.core.pipeline.GatewayPorts;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.RequestFamily;
import dev.tollgate.server.settings.ListenerSettings;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.value.BindAddress;
import dev.tollgate.server.settings.value.Origin;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Wiring of the {@link Gateway}, the API listener: its options from the configuration, and its
 * metrics.
 */
final class GatewayModule {
  private GatewayModule() {}

  static Gateway create(
      Settings settings, Snapshots snapshots, Network network, GatewayPorts ports) {
    var api = settings.listeners().api();
    var options =
        new GatewayOptions(
            socketAddress(api.address()),
            api.proxyProtocol(),
            CidrSet.parse(api.trustedProxies().stream().map(Object::toString).toList()),
            api.requestBytesMax(),
            api.multipartBytesMax(),
            api.headerBytesMax(),
            api.connectionsMax(),
            api.unprovenConnectionsPerAddressMax(),
            api.headerTimeout(),
            api.bodyTimeout(),
            api.writeStall(),
            api.idleTimeout(),
            api.healthPath(),
            cors(api.cors()));
    return new Gateway(
        options, ports, snapshots.tls(), network.loops(), network.transport(), network.allocator());
  }

  private static @Nullable Cors cors(ListenerSettings.@Nullable Cors pages) {
    return pages == null
        ? null
        : new Cors(
            pages.origins().stream().map(Origin::toString).collect(Collectors.toSet()),
            pages.maxAge());
  }

  static ExchangeOptions exchangeOptions(Settings settings) {
    var api = settings.listeners().api();
    ResponseEventChoice responses =
        switch (settings.responses().extendedEvents()) {
          case AUTO -> ResponseEventChoice.BY_CLIENT;
          case ON -> ResponseEventChoice.EXTENDED;
          case OFF -> ResponseEventChoice.LISTED;
        };
    int storedMax = settings.server().idempotency().replyBytesMax();
    return new ExchangeOptions(
        api.pingInterval(), api.commitAfter(), storedMax, responses, api.brokenStreamEnd());
  }

  static void register(Metrics metrics, Gateway gateway) {
    metrics.gauge(RequestFamily.CONNECTIONS, () -> gateway.gauges().open());
    metrics.counter(RequestFamily.CONNECTIONS_REFUSED, () -> gateway.gauges().refused());
    metrics.gauge(RequestFamily.CONNECTIONS_UNPROVEN, () -> gateway.gauges().unproven());
    metrics.counters(RequestFamily.CONNECTIONS_EVICTED, () -> evicted(gateway.gauges()));
    metrics.counter(RequestFamily.STREAMS_RESET, () -> gateway.gauges().streamsReset());
    metrics.gauge(RequestFamily.REFUSED_BODIES, () -> gateway.gauges().bodiesRead());
    metrics.counter(RequestFamily.REFUSED_BODIES_UNREAD, () -> gateway.gauges().bodiesUnread());
    metrics.gauge(RequestFamily.REQUESTS_IN_FLIGHT, () -> requestsInFlight(gateway));
  }

  private static Map<List<String>, Long> evicted(GatewayGauges gauges) {
    return Map.of(
        List.of("node"), gauges.evictedAtNodeLimit(),
        List.of("address"), gauges.evictedAtAddressLimit());
  }

  static int requestsInFlight(Gateway gateway) {
    return gateway.gauges().byPhase().getOrDefault("work", 0);
  }

  static InetSocketAddress socketAddress(BindAddress address) {
    return new InetSocketAddress(address.host(), address.port());
  }

  /**
   * Fails if a listener that binds late, after the store was opened, cannot have its address: the
   * start would make a database first.
   */
  static void requireFree(ListenerSettings listeners) throws StartException {
    requireFree("listeners.api", listeners.api().address());
    BindAddress control = listeners.control().address();
    if (control != null) {
      requireFree("listeners.control", control);
    }
  }

  private static void requireFree(String listener, BindAddress address) throws StartException {
    InetSocketAddress socket = socketAddress(address);
    if (address.port() == 0 || socket.isUnresolved()) {
      return;
    }
    var family =
        socket.getAddress() instanceof Inet6Address
            ? StandardProtocolFamily.INET6
            : StandardProtocolFamily.INET;
    try (SocketChannel unused = SocketChannel.open(family)) {
      unused.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(socket);
    } catch (IOException e) {
      throw cannotListen(listener, address, e);
    }
  }

  static StartException cannotListen(String listener, BindAddress address, Throwable cause) {
    return new StartException(
        listener + ": cannot listen on " + address + ": " + cause.getMessage(), cause);
  }

  /** Binds the API listener and returns the URL of the API for clients. */
  static String bind(Gateway gateway, ListenerSettings.Api api) throws StartException {
    try {
      return GatewayBaseUrl.of(api, gateway.bind().toCompletableFuture().join());
    } catch (CompletionException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      throw cannotListen("listeners.api", api.address(), cause);
    }
  }
}
