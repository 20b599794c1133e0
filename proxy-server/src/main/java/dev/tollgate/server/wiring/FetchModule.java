package dev.tollgate.server.wiring;

import dev.tollgate.core.egress.FetchRules;
import dev.tollgate.core.egress.ImageFetchClient;
import dev.tollgate.core.egress.PublicAddressResolver;
import dev.tollgate.core.egress.PublicConnector;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.net.UrlRules;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.OutputFamily;
import dev.tollgate.server.ops.FetchMetrics;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.value.HttpUrl;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Wiring of fetches from URLs that clients supply: configured rules, connector and metrics. */
final class FetchModule {
  private FetchModule() {}

  /** Returns the resolver of host names in URLs of clients. */
  static PublicAddressResolver resolver(Network network, Metrics metrics) {
    var resolver = new PublicAddressResolver(network.clientNames());
    metrics.gauge(OutputFamily.NAME_LOOK_UPS, resolver::inFlight);
    return resolver;
  }

  static ImageFetchClient begin(
      PublicConnector connector, Supplier<FetchRules> rules, Metrics metrics) {
    var fetcher = new ImageFetchClient(connector, rules, new FetchMetrics(metrics));
    metrics.gauge(OutputFamily.FETCHES_IN_FLIGHT, fetcher::inFlight);
    return fetcher;
  }

  /** Returns the rules of a configuration, with the present addresses of this machine. */
  static FetchRules rules(Settings settings) {
    var ssrf = settings.security().ssrf();
    var fetch = settings.security().fetch();
    var urls =
        new UrlRules(
            Set.copyOf(ssrf.ports()),
            ssrf.allowHosts().stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet()),
            blocks(ssrf.allowCidrs()),
            blocks(ssrf.denyCidrs()),
            ownNames(settings),
            ownAddresses());
    return new FetchRules(urls, fetch.bytesMax(), fetch.timeout(), fetch.redirectsMax());
  }

  private static CidrSet blocks(List<?> blocks) {
    return CidrSet.parse(blocks.stream().map(Object::toString).toList());
  }

  /** Returns the host names of this gateway's own listeners. */
  private static Set<String> ownNames(Settings settings) {
    var listeners = settings.listeners();
    return Stream.of(listeners.api().baseUrl(), listeners.control().publicUrl())
        .filter(Objects::nonNull)
        .map(HttpUrl::host)
        .collect(Collectors.toSet());
  }

  /**
   * Returns the addresses of all interfaces; if they cannot be listed, only the public ranges
   * protect.
   */
  private static CidrSet ownAddresses() {
    Set<String> own = new HashSet<>();
    try {
      NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .map(InetAddress::getAddress)
          .forEach(bytes -> own.add(NetUtil.bytesToIpAddress(bytes)));
    } catch (SocketException e) {
      return CidrSet.NONE;
    }
    return CidrSet.parse(own);
  }
}
