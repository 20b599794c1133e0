package dev.tollgate.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.EndpointTls;
import dev.tollgate.core.catalog.HttpProxy;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.testkit.ConnectProxy;
import dev.tollgate.core.testkit.ConnectProxy.Behavior;
import dev.tollgate.core.testkit.ScriptedUpstream;
import dev.tollgate.core.upstream.SocketPool.Sockets;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections through a proxy over real sockets, in the clear and with TLS in the tunnel. */
class ProxiedConnectionsTest {
  private static final Duration USUAL = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final String REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final String REPLY = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes";
  private static final Secret CREDENTIALS = new Secret("Basic dXNlcjpzZWNyZXQ=");

  private final X509Bundle root =
      new CertificateBuilder()
          .ecp256()
          .subject("CN=Tests")
          .setIsCertificateAuthority(true)
          .buildSelfSigned();
  private final SslContext trusting =
      SslContextBuilder.forClient().trustManager(root.toTrustManagerFactory()).build();

  ProxiedConnectionsTest() throws Exception {}

  private X509Bundle certificate(String name) throws Exception {
    return new CertificateBuilder()
        .ecp256()
        .subject("CN=" + name)
        .addSanDnsName(name)
        .buildIssuedBy(root);
  }

  private SocketPool pool() {
    return new SocketPool(Sockets.NIO, DefaultAddressResolverGroup.INSTANCE, trusting);
  }

  /** A host whose name only the proxy knows. */
  private static EndpointIdentity behind(
      ConnectProxy proxy, boolean tls, int port, @Nullable EndpointTls settings) {
    return behind(proxy.port(), tls, port, settings, CREDENTIALS);
  }

  private static EndpointIdentity behind(
      int proxyPort,
      boolean tls,
      int port,
      @Nullable EndpointTls settings,
      @Nullable Secret authorization) {
    var proxy = new HttpProxy("127.0.0.1", proxyPort, authorization);
    return new EndpointIdentity(tls, "models.internal.example", port, settings, proxy);
  }

  private static AcquisitionResult acquire(
      SocketPool pool, EndpointIdentity endpoint, Duration connect) throws Exception {
    return pool.acquire(SocketPool.provider(endpoint, connect));
  }

  private static Lease lease(SocketPool pool, EndpointIdentity endpoint) throws Exception {
    return pool.lease(SocketPool.provider(endpoint, USUAL));
  }

  @Test
  void aTunnelIsPooledAndServesRequestAfterRequest() throws Exception {
    try (var proxy = ConnectProxy.start(Behavior.WANTS_CREDENTIALS);
        var upstream = ScriptedUpstream.replying(REPLY);
        var pool = pool()) {
      EndpointIdentity endpoint = behind(proxy, false, upstream.port(), null);
      for (int n = 0; n < 3; n++) {
        Lease lease = lease(pool, endpoint);
        assertThat(lease.isReused()).isEqualTo(n > 0);
        assertThat(pool.exchange(lease, REQUEST).end()).isEqualTo("200 yes");
      }
      assertThat(proxy.requests())
          .singleElement()
          .asString()
          .startsWith("CONNECT models.internal.example:" + upstream.port() + " HTTP/1.1\r\n");
    }
  }

  @Test
  void tlsInTheTunnelIsWithTheProviderAndVerifiesItsName() throws Exception {
    try (var proxy = ConnectProxy.start(Behavior.RELAYS);
        var good = new TlsProvider(certificate("models.internal.example"));
        var other = new TlsProvider(certificate("other.example"));
        var pool = pool()) {
      Lease lease = lease(pool, behind(proxy, true, good.port(), null));
      assertThat(pool.exchange(lease, REQUEST).end()).isEqualTo("200 safe");
      assertThat(good.names).containsExactly("models.internal.example");
      assertThat(acquire(pool, behind(proxy, true, other.port(), null), USUAL))
          .isInstanceOfSatisfying(
              AcquisitionResult.Unreachable.class,
              no -> assertThat(no.fault()).as(no.reason()).isEqualTo(ConnectFault.TLS_NAME));
    }
  }

  @Test
  void anotherNameIsAskedForAndVerified() throws Exception {
    try (var proxy = ConnectProxy.start(Behavior.RELAYS);
        var other = new TlsProvider(certificate("other.example"));
        var pool = pool()) {
      var named = new EndpointTls("hash", "other.example", trusting);
      Lease lease = lease(pool, behind(proxy, true, other.port(), named));
      assertThat(pool.exchange(lease, REQUEST).end()).isEqualTo("200 safe");
      assertThat(other.names).containsExactly("other.example");
    }
  }

  @Test
  void endpointsWithOtherSettingsShareNoConnections() throws Exception {
    try (var proxy = ConnectProxy.start(Behavior.RELAYS);
        var upstream = ScriptedUpstream.replying(REPLY);
        var pool = pool()) {
      EndpointIdentity one = behind(proxy, false, upstream.port(), null);
      var two = behind(proxy.port(), false, upstream.port(), null, null);
      var three = behind(proxy, false, upstream.port(), new EndpointTls("a", null, trusting));
      var same = behind(proxy, false, upstream.port(), new EndpointTls("a", null, trusting));
      for (EndpointIdentity endpoint : new EndpointIdentity[] {one, two, three}) {
        Lease lease = lease(pool, endpoint);
        assertThat(lease.isReused()).isFalse();
        pool.exchange(lease, REQUEST).end();
      }
      Lease again = lease(pool, same);
      assertThat(again.isReused()).isTrue();
      pool.exchange(again, REQUEST).end();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "WANTS_CREDENTIALS, PROXY_AUTH",
    "REFUSES, PROXY_REFUSED",
    "DIES, PROXY_CLOSED",
    "IS_NO_PROXY, PROXY_MALFORMED"
  })
  void eachFailureOfTheProxyIsNamed(Behavior behavior, ConnectFault fault) throws Exception {
    try (var proxy = ConnectProxy.start(behavior);
        var pool = pool()) {
      EndpointIdentity endpoint = behind(proxy.port(), true, 443, null, null);
      assertThat(acquire(pool, endpoint, USUAL))
          .isInstanceOfSatisfying(
              AcquisitionResult.Unreachable.class,
              no -> {
                assertThat(no.fault()).isEqualTo(fault);
                assertThat(no.reason()).startsWith(fault.wire() + ": ").doesNotContain("dXNl");
              });
      assertThat(pool.upstreams.gauges()).allMatch(gauge -> gauge.open() == 0);
    }
  }

  @Test
  void aProxyThatStallsTimesOutAndOneThatIsNotThereIsUnreachable() throws Exception {
    try (var proxy = ConnectProxy.start(Behavior.STALLS);
        var pool = pool()) {
      assertThat(acquire(pool, behind(proxy, true, 443, null), SHORT))
          .isEqualTo(new AcquisitionResult.TimedOut(ConnectFault.PROXY_TIMEOUT));
      pool.settle();
      assertThat(pool.upstreams.gauges()).allMatch(gauge -> gauge.open() == 0);
      int nowhere = ScriptedUpstream.refusedPort();
      assertThat(acquire(pool, behind(nowhere, true, 443, null, null), USUAL))
          .isInstanceOfSatisfying(
              AcquisitionResult.Unreachable.class,
              no -> assertThat(no.fault()).isEqualTo(ConnectFault.PROXY_UNREACHABLE));
    }
  }
}
