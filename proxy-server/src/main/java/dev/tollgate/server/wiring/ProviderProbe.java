package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.EndpointTls;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.upstream.CollectedCalls;
import dev.tollgate.core.upstream.CollectedCalls.Call;
import dev.tollgate.core.upstream.CollectedCalls.CallResult;
import dev.tollgate.core.upstream.ConnectFault;
import dev.tollgate.core.upstream.Upstreams;
import dev.tollgate.server.keys.KeyProbe;
import dev.tollgate.server.oauth.TokenClient;
import dev.tollgate.server.settings.CatalogBuilder;
import dev.tollgate.server.settings.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Test of the configured providers for {@code tollgate check}: each is reached as requests reach
 * it, by its proxy and with its TLS settings, and each key is tried.
 */
public final class ProviderProbe implements AutoCloseable {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(1);
  private static final int ANSWER_BYTES_MAX = 1 << 20;

  private final Network network;
  private final Upstreams upstreams;
  private final CollectedCalls calls;
  private final TokenClient tokens;
  private final Catalog catalog;
  private final List<@Nullable EndpointTls> tls;

  /** Result of the test of one provider. */
  public sealed interface Outcome {
    record Passed(String detail) implements Outcome {}

    /** What failed, and what to do. */
    record Failed(String reason) implements Outcome {}
  }

  private ProviderProbe(Settings settings, Network network) throws StartException {
    this.network = network;
    this.upstreams = new Upstreams(network.connector());
    this.calls = new CollectedCalls(upstreams, network.loops()::next);
    Map<ProviderId, EndpointTls> ofProviders = EndpointTlsFiles.ofProviders(settings);
    EndpointTls ofEgress = EndpointTlsFiles.ofEgress(settings);
    List<@Nullable EndpointTls> all = new ArrayList<>(ofProviders.values());
    all.add(ofEgress);
    this.tls = Collections.unmodifiableList(all);
    this.tokens = new TokenClient(calls, new EgressEndpoints(settings.egress(), ofEgress)::of);
    this.catalog = new CatalogBuilder(_ -> 0).build(settings, ofProviders);
  }

  public static ProviderProbe open(Settings settings) throws StartException {
    var network = new Network(settings.server());
    try {
      return new ProviderProbe(settings, network);
    } catch (StartException e) {
      network.close();
      throw e;
    }
  }

  /** Tests a provider that is reached over the network; blocks for some seconds at most. */
  public Outcome of(ProviderId id) throws InterruptedException {
    Provider provider =
        catalog.providers().stream().filter(one -> one.id().equals(id)).findFirst().orElseThrow();
    return switch (connected(provider)) {
      case Outcome.Passed reached -> keys(provider, reached.detail());
      case Outcome.Failed failed -> failed;
    };
  }

  /** Any answer will do, and so will none: what counts is that there is a connection. */
  private Outcome connected(Provider provider) throws InterruptedException {
    EndpointIdentity endpoint = provider.endpoint();
    Duration connect = provider.timeouts().connect();
    var call =
        new Call(
            endpoint,
            "GET",
            provider.basePath() + "/",
            List.of(),
            new byte[0],
            ANSWER_BYTES_MAX,
            connect,
            connect.plus(ANSWER_MAX));
    try {
      return switch (calls.begin(call).get()) {
        case CallResult.Answered _, CallResult.Failed _ ->
            new Outcome.Passed("connected" + way(endpoint));
        case CallResult.NotConnected no -> failed(provider, no.fault(), no.reason());
      };
    } catch (ExecutionException e) {
      return new Outcome.Failed("cannot connect: " + e.getCause());
    }
  }

  private static String way(EndpointIdentity endpoint) {
    String through = endpoint.proxy() == null ? "" : " through proxy " + endpoint.proxy();
    return through + (endpoint.tls() ? ", TLS" : "");
  }

  /** Tries each key of a provider; a refused key counts as a failure. */
  private Outcome keys(Provider provider, String reached) throws InterruptedException {
    StringBuilder details = new StringBuilder(reached);
    for (Credential credential : provider.credentials()) {
      switch (KeyProbe.of(provider, credential, calls, tokens)) {
        case KeyProbe.Accepted taken -> details.append(", ").append(taken.detail());
        case KeyProbe.Unknown unknown -> details.append(", ").append(unknown.reason());
        case KeyProbe.NotConnected no -> {
          return failed(provider, no.fault(), no.reason());
        }
        case KeyProbe.Refused refused -> {
          return new Outcome.Failed(
              details + ", but " + refused.reason() + "; check the key of " + key(provider, ""));
        }
      }
    }
    return new Outcome.Passed(details.toString());
  }

  private static Outcome failed(Provider provider, ConnectFault fault, String reason) {
    return new Outcome.Failed("cannot connect: " + reason + "; " + remedy(provider, fault));
  }

  private static String remedy(Provider provider, ConnectFault fault) {
    EndpointIdentity endpoint = provider.endpoint();
    return switch (fault) {
      case DNS ->
          "check the host of "
              + key(provider, ".base_url")
              + " and this machine's DNS; where only a proxy knows the name, set egress.proxy";
      case CONNECT ->
          "check host and port of "
              + key(provider, ".base_url")
              + " and the firewall; where only a proxy gets out, set egress.proxy";
      case PROXY_UNREACHABLE, PROXY_TIMEOUT, PROXY_CLOSED, PROXY_MALFORMED ->
          "check host and port of the proxy in egress.proxy or "
              + key(provider, ".proxy")
              + ", and whether it is an HTTP proxy";
      case PROXY_AUTH ->
          "write user and password into the URL of the proxy: http://user:password@"
              + endpoint.proxy();
      case PROXY_REFUSED ->
          "let the proxy allow CONNECT to "
              + endpoint.hostAndPort()
              + ", or call the host directly by egress.no_proxy or "
              + key(provider, ".proxy: null");
      case TLS_UNTRUSTED ->
          "put the authority of the certificate into egress.ca or " + key(provider, ".tls.ca");
      case TLS_NAME ->
          "write a name of the certificate into "
              + key(provider, ".base_url")
              + " or "
              + key(provider, ".tls.server_name");
      case TLS_EXPIRED ->
          "have the certificate of the provider renewed, and check the clock of this machine";
      case TLS_CLIENT_CERTIFICATE ->
          "set "
              + key(provider, ".tls.client_certificate")
              + " and client_private_key to a certificate that the provider accepts";
      case TLS ->
          "check that the port speaks TLS 1.2 or 1.3 with ECDHE, and whether it wants a client"
              + " certificate: "
              + key(provider, ".tls.client_certificate");
    };
  }

  private static String key(Provider provider, String key) {
    return "providers." + provider.id() + key;
  }

  @Override
  public void close() {
    upstreams.close();
    network.close();
    EndpointTlsFiles.release(tls);
  }
}
