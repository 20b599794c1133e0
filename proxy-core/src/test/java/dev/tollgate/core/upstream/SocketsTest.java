package dev.tollgate.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.testkit.ScriptedUpstream;
import dev.tollgate.core.upstream.SocketPool.Sockets;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** Connections over real sockets, on epoll and NIO, in the clear and with TLS (U01, U03, U04). */
class SocketsTest {
  private static final Duration USUAL = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final String REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final X509Bundle ROOT = root("CN=Tests");

  private static X509Bundle root(String name) {
    try {
      return new CertificateBuilder()
          .ecp256()
          .subject(name)
          .setIsCertificateAuthority(true)
          .buildSelfSigned();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static CertificateBuilder certificate(String name) {
    return new CertificateBuilder().ecp256().subject("CN=" + name).addSanDnsName(name);
  }

  private static SslContextBuilder trusting() {
    return SslContextBuilder.forClient().trustManager(ROOT.toTrustManagerFactory());
  }

  private static SocketPool pool(Sockets sockets) throws Exception {
    return new SocketPool(sockets, new LoopbackResolverGroup(), trusting().build());
  }

  private static Provider plain(int port) {
    return SocketPool.provider(false, "provider.example", port, USUAL);
  }

  static Stream<Sockets> sockets() {
    return SocketPool.available();
  }

  @ParameterizedTest
  @MethodSource("sockets")
  void aConnectionServesRequestAfterRequest(Sockets sockets) throws Exception {
    try (var upstream = ScriptedUpstream.start();
        var pool = pool(sockets)) {
      upstream.onConnection(
          c ->
              c.expectRequest()
                  .sendSplit(3, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none")
                  .expectRequest()
                  .send(
                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n")
                  .stall());
      Lease first = pool.lease(plain(upstream.port()));
      assertThat(first.isReused()).isFalse();
      assertThat(pool.exchange(first, REQUEST).end()).isEqualTo("200 one");
      Lease second = pool.lease(plain(upstream.port()));
      assertThat(second.isReused()).isTrue();
      assertThat(pool.exchange(second, REQUEST).end()).isEqualTo("200 two");
      assertThat(upstream.connections()).isOne();
    }
  }

  @ParameterizedTest
  @MethodSource("sockets")
  void aProviderSeesThatItWasCancelled(Sockets sockets) throws Exception {
    try (var upstream = ScriptedUpstream.start();
        var pool = pool(sockets)) {
      upstream.onConnection(c -> c.expectRequest().send("HTTP/1.1 200 OK\r\n").stall());
      Lease lease = pool.lease(plain(upstream.port()));
      var _ = pool.exchange(lease, REQUEST);
      var _ = upstream.request(0);
      pool.cancel(lease);
      assertThat(upstream.awaitClosed(USUAL)).isNotNull();
    }
  }

  @ParameterizedTest
  @MethodSource("sockets")
  void aResetAndAnOrderlyCloseAreDistinguished(Sockets sockets) throws Exception {
    try (var upstream = ScriptedUpstream.start();
        var pool = pool(sockets)) {
      upstream
          .onConnection(c -> c.expectRequest().reset())
          .onConnection(c -> c.expectRequest().close())
          .onConnection(c -> c.expectRequest().send("HTTP/1.1 2").close());
      Provider provider = plain(upstream.port());
      assertThat(pool.exchange(pool.lease(provider), REQUEST).end())
          .isEqualTo(new ConnectionFailure.Reset(false));
      assertThat(pool.exchange(pool.lease(provider), REQUEST).end())
          .isEqualTo(new ConnectionFailure.Closed(false));
      assertThat(pool.exchange(pool.lease(provider), REQUEST).end())
          .isEqualTo(new ConnectionFailure.Closed(true));
    }
  }

  @ParameterizedTest
  @MethodSource("sockets")
  void aPortWithoutAListenerIsUnreachable(Sockets sockets) throws Exception {
    try (var pool = pool(sockets)) {
      AcquisitionResult acquired = pool.acquire(plain(ScriptedUpstream.refusedPort()));
      assertThat(acquired).isInstanceOf(AcquisitionResult.Unreachable.class);
      assertThat(pool.upstreams.gauges()).allMatch(g -> g.open() == 0);
    }
  }

  @ParameterizedTest
  @MethodSource("sockets")
  void aNameThatDoesNotExistIsUnreachableAndASlowOneTimesOut(Sockets sockets) throws Exception {
    try (var pool = pool(sockets)) {
      assertThat(pool.acquire(SocketPool.provider(false, "nowhere.example", 80, USUAL)))
          .isInstanceOfSatisfying(
              AcquisitionResult.Unreachable.class,
              no -> assertThat(no.fault()).isEqualTo(ConnectFault.DNS));
      assertThat(pool.acquire(SocketPool.provider(false, "slow.example", 80, SHORT)))
          .isEqualTo(new AcquisitionResult.TimedOut(ConnectFault.CONNECT));
      pool.settle();
      assertThat(pool.upstreams.gauges()).allMatch(g -> g.open() == 0);
    }
  }

  @Test
  void anAddressOfEitherFamilyNeedsNoName() throws Exception {
    for (String address : new String[] {"127.0.0.1", "::1"}) {
      try (var listener = new ServerSocket(0, 1, InetAddress.getByName(address));
          var pool =
              new SocketPool(
                  Sockets.NIO, DefaultAddressResolverGroup.INSTANCE, trusting().build())) {
        Lease lease =
            pool.lease(SocketPool.provider(false, address, listener.getLocalPort(), USUAL));
        try (Socket accepted = listener.accept()) {
          assertThat(accepted.isConnected()).isTrue();
          pool.cancel(lease);
          assertThat(accepted.getInputStream().read()).isEqualTo(-1);
        }
      }
    }
  }

  // TLS

  @ParameterizedTest
  @MethodSource("sockets")
  void aProviderWithAGoodCertificateIsServedUnderItsName(Sockets sockets) throws Exception {
    try (var server = new TlsProvider(certificate("good.example").buildIssuedBy(ROOT));
        var pool = pool(sockets)) {
      Provider provider = SocketPool.provider(true, "good.example", server.port(), USUAL);
      assertThat(pool.exchange(pool.lease(provider), REQUEST).end()).isEqualTo("200 safe");
      Lease again = pool.lease(provider);
      assertThat(again.isReused()).isTrue();
      assertThat(pool.exchange(again, REQUEST).end()).isEqualTo("200 safe");
      assertThat(server.names).containsExactly("good.example");
    }
  }

  @Test
  void aCertificateForAnAddressServesThatAddress() throws Exception {
    X509Bundle identity =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=address")
            .addSanIpAddress("127.0.0.1")
            .buildIssuedBy(ROOT);
    try (var server = new TlsProvider(identity);
        var pool = pool(Sockets.NIO)) {
      Provider provider = SocketPool.provider(true, "127.0.0.1", server.port(), USUAL);
      assertThat(pool.exchange(pool.lease(provider), REQUEST).end()).isEqualTo("200 safe");
      assertThat(server.names).containsExactly("none");
    }
  }

  @ParameterizedTest
  @MethodSource("sockets")
  void aCertificateForAnotherNameIsRefused(Sockets sockets) throws Exception {
    requireRefused(sockets, certificate("other.example").buildIssuedBy(ROOT), trusting().build());
  }

  @ParameterizedTest
  @MethodSource("sockets")
  void theNameIsCheckedWhateverTheContextSays(Sockets sockets) throws Exception {
    requireRefused(
        sockets,
        certificate("other.example").buildIssuedBy(ROOT),
        trusting().endpointIdentificationAlgorithm("").build());
  }

  @ParameterizedTest
  @MethodSource("sockets")
  void anExpiredCertificateIsRefused(Sockets sockets) throws Exception {
    Instant now = Instant.now();
    requireRefused(
        sockets,
        certificate("good.example")
            .notBefore(now.minus(20, ChronoUnit.DAYS))
            .notAfter(now.minus(10, ChronoUnit.DAYS))
            .buildIssuedBy(ROOT),
        trusting().build());
  }

  @ParameterizedTest
  @MethodSource("sockets")
  void anUntrustedCertificateIsRefused(Sockets sockets) throws Exception {
    requireRefused(
        sockets,
        certificate("good.example").setIsCertificateAuthority(true).buildSelfSigned(),
        trusting().build());
    requireRefused(
        sockets,
        certificate("good.example").buildIssuedBy(root("CN=Stranger")),
        trusting().build());
  }

  private static void requireRefused(Sockets sockets, X509Bundle identity, SslContext tls)
      throws Exception {
    try (var server = new TlsProvider(identity);
        var pool = new SocketPool(sockets, new LoopbackResolverGroup(), tls)) {
      List<ILoggingEvent> logged = new CopyOnWriteArrayList<>();
      Runnable stop = watchLog(logged);
      AcquisitionResult acquired =
          pool.acquire(SocketPool.provider(true, "good.example", server.port(), USUAL));
      assertThat(acquired).isInstanceOf(AcquisitionResult.Unreachable.class);
      pool.settle();
      assertThat(pool.upstreams.gauges()).allMatch(g -> g.open() == 0);
      stop.run();
      assertThat(logged).as("an expected fault").isEmpty();
    }
  }

  private static Runnable watchLog(List<ILoggingEvent> events) {
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    var appender =
        new AppenderBase<ILoggingEvent>() {
          @Override
          protected void append(ILoggingEvent event) {
            events.add(event);
          }
        };
    appender.start();
    root.addAppender(appender);
    return () -> root.detachAppender(appender);
  }

  @ParameterizedTest
  @MethodSource("sockets")
  void aServerThatSpeaksNoTlsIsUnreachable(Sockets sockets) throws Exception {
    try (var upstream = ScriptedUpstream.start();
        var pool = pool(sockets)) {
      upstream.onConnection(c -> c.send("HTTP/1.1 400 Bad Request\r\n\r\n").stall());
      assertThat(pool.acquire(SocketPool.provider(true, "good.example", upstream.port(), USUAL)))
          .isInstanceOf(AcquisitionResult.Unreachable.class);
    }
  }

  @ParameterizedTest
  @MethodSource("sockets")
  void aHandshakeThatDoesNotEndTimesOut(Sockets sockets) throws Exception {
    try (var upstream = ScriptedUpstream.start();
        var pool = pool(sockets)) {
      upstream.onConnection(c -> c.stall());
      assertThat(pool.acquire(SocketPool.provider(true, "good.example", upstream.port(), SHORT)))
          .isEqualTo(new AcquisitionResult.TimedOut(ConnectFault.TLS));
      assertThat(upstream.awaitClosed(USUAL)).isNotNull();
    }
  }
}
