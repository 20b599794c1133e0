package dev.tollgate.core.upstream;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.testkit.ScriptedUpstream;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Connections to an address that the caller chose, under a name that is never looked up. */
class AddressConnectorTest {
  /** The test's resolver knows no such name: who connects all the same has not asked it. */
  private static final String NAME = "nowhere.example";

  private static final Duration USUAL = Duration.ofSeconds(20);

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop loop = group.next();
  private final X509Bundle root;

  AddressConnectorTest() throws Exception {
    root =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=Tests")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
  }

  @AfterEach
  void stop() {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(20, TimeUnit.SECONDS);
  }

  private X509Bundle certificate(String name) throws Exception {
    return new CertificateBuilder()
        .ecp256()
        .subject("CN=" + name)
        .addSanDnsName(name)
        .buildIssuedBy(root);
  }

  private SslContext trusting() throws Exception {
    return SslContextBuilder.forClient()
        .trustManager(root.toTrustManagerFactory())
        .protocols("TLSv1.2") // in which a session that is resumed keeps its name
        .build();
  }

  private static SocketConnector connector(ChannelFactory<Channel> channels, SslContext tls) {
    return new SocketConnector(
        channels, new LoopbackResolverGroup(), tls, PooledByteBufAllocator.DEFAULT);
  }

  private Channel connect(AddressConnector connector, int port) throws Exception {
    return connector
        .connect(
            loop, new EndpointIdentity(true, NAME, port), InetAddress.getLoopbackAddress(), USUAL)
        .get(20, TimeUnit.SECONDS);
  }

  @Test
  void theAddressIsCalledUnderTheName() throws Exception {
    try (var server = new TlsProvider(certificate(NAME))) {
      Channel channel = connect(connector(NioSocketChannel::new, trusting()), server.port());
      assertThat(channel.remoteAddress())
          .isEqualTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
      assertThat(server.names).containsExactly(NAME);
      channel.close().sync();
    }
  }

  @Test
  void aCertificateForAnotherNameIsRefused() throws Exception {
    try (var server = new TlsProvider(certificate("other.example"))) {
      assertThatThrownBy(() -> connect(connector(NioSocketChannel::new, trusting()), server.port()))
          .isInstanceOf(ExecutionException.class);
    }
  }

  @Test
  void noSessionIsResumedThatAnotherConnectionAgreedOn() throws Exception {
    List<String> sessions = new ArrayList<>();
    try (var server = new TlsProvider(certificate(NAME))) {
      SocketConnector connector = connector(NioSocketChannel::new, trusting());
      for (int n = 0; n < 3; n++) {
        connect(connector, server.port()).close().sync();
        sessions.add(sessionOf(server));
      }
    }
    assertThat(sessions).hasSize(3).doesNotHaveDuplicates();
  }

  /** So that the test above can fail. */
  @Test
  void aProvidersSessionIsResumed() throws Exception {
    List<String> sessions = new ArrayList<>();
    try (var server = new TlsProvider(certificate("good.example"))) {
      SocketConnector connector = connector(NioSocketChannel::new, trusting());
      var endpoint = new EndpointIdentity(true, "good.example", server.port());
      for (int n = 0; n < 3; n++) {
        connector
            .connect(loop, endpoint, USUAL, new ConnectProgress())
            .get(20, TimeUnit.SECONDS)
            .close()
            .sync();
        sessions.add(sessionOf(server));
      }
    }
    assertThat(sessions).hasSize(3).containsOnly(sessions.getFirst());
  }

  /** The server knows of a handshake a moment later than its client. */
  private static String sessionOf(TlsProvider server) throws InterruptedException {
    return requireNonNull(server.sessions.poll(20, TimeUnit.SECONDS));
  }

  /** As where something on the way sends connections elsewhere. */
  private static final class Diverted extends NioSocketChannel {
    @Override
    public InetSocketAddress remoteAddress() {
      return new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 443);
    }
  }

  /** Each time: some connects to this machine are complete at once. */
  @RepeatedTest(20)
  void aConnectionThatEndsUpElsewhereIsClosedBeforeAWordIsSaid() throws Exception {
    try (var upstream = ScriptedUpstream.start()) {
      upstream.onConnection(c -> c.stall());
      assertThatThrownBy(() -> connect(connector(Diverted::new, trusting()), upstream.port()))
          .hasCauseInstanceOf(ConnectException.class)
          .hasMessageContaining("another address");
      assertThat(upstream.awaitClosed(USUAL)).isNotNull();
      assertThat(upstream.connection(0).received()).isEmpty();
    }
  }
}
