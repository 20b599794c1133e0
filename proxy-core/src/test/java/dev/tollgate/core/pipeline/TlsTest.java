package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.pipeline.ScriptedService.Call;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import io.netty.buffer.Unpooled;
import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.ReferenceCounted;
import java.net.InetAddress;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same conversations under TLS, on each transport and with each provider of TLS that is here.
 */
final class TlsTest {
  private static final X509Bundle CERTIFICATE = certificate();

  record Case(Transport transport, SslProvider provider) {}

  static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (Transport transport : TestGateway.transports()) {
      cases.add(new Case(transport, SslProvider.JDK));
      if (OpenSsl.isAvailable()) {
        cases.add(new Case(transport, SslProvider.OPENSSL));
      }
    }
    return cases;
  }

  private static X509Bundle certificate() {
    try {
      return new CertificateBuilder()
          .subject("CN=localhost")
          .setIsCertificateAuthority(true)
          .addSanDnsName("localhost")
          .buildSelfSigned();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static TestGateway gateway(Case given) throws Exception {
    return new TestGateway(given.transport, TestGateway.OPTIONS, context(given.provider));
  }

  private static SslContext context(SslProvider provider) throws Exception {
    return SslContextBuilder.forServer(CERTIFICATE.toKeyManagerFactory())
        .sslProvider(provider)
        .build();
  }

  private static RawClient connect(TestGateway gateway) throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    trusted.setCertificateEntry("gateway", CERTIFICATE.getCertificate());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    SSLSocket socket =
        (SSLSocket)
            context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), gateway.port);
    socket.startHandshake();
    return RawClient.over(socket);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void requestsFollowOneAnotherAndStreamsFlow(Case given) throws Exception {
    try (TestGateway gateway = gateway(given);
        RawClient client = connect(gateway)) {
      String key = gateway.keys.authorization();
      String body = "{\"text\":\"" + "x".repeat(100_000) + "\"}";
      client.post("/v1/chat/completions", body, key);
      assertThat(client.readResponse().status()).isEqualTo(200);
      assertThat(gateway.service.awaitCall().body).isEqualTo(body);
      gateway.service.script(
          call -> {
            call.open();
            call.event("one");
            call.event("y".repeat(50_000));
            call.end();
          });
      client.post("/v1/chat/completions", "{}", key);
      RawResponse stream = client.readResponse();
      assertThat(stream.events()).hasSize(2);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aRefusalThatEndsTheConnectionIsReceivedInFull(Case given) throws Exception {
    try (TestGateway gateway = gateway(given);
        RawClient client = connect(gateway)) {
      client.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
              + gateway.keys.authorization()
              + "\r\nContent-Length: 30000000\r\n\r\n"
              + "x".repeat(200_000));
      assertThat(client.readResponse().status()).isEqualTo(413);
      assertThat(client.readToEnd()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aClientThatLeavesIsNoticed(Case given) throws Exception {
    try (TestGateway gateway = gateway(given)) {
      RawClient client = connect(gateway);
      gateway.service.hold();
      client.get("/v1/models", gateway.keys.authorization());
      Call call = gateway.service.awaitCall();
      client.close();
      assertThat(call.awaitExit()).isEqualTo(DisconnectReason.ABORTED);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void plainTextOnAPortWithTlsEndsTheConnection(Case given) throws Exception {
    try (TestGateway gateway = gateway(given);
        RawClient client = gateway.connect()) {
      client.get("/v1/models");
      client.awaitClosed();
      assertThat(gateway.service.calls).isEmpty();
    }
  }

  /** A context that counts its references, as one of OpenSSL does. */
  private static final class CountedContext extends DelegatingSslContext
      implements ReferenceCounted {
    private final ReferenceCounted count = Unpooled.buffer(1);
    private volatile int whileInUse;

    CountedContext() throws Exception {
      super(context(SslProvider.JDK));
    }

    @Override
    protected void initEngine(SSLEngine engine) {
      whileInUse = refCnt();
    }

    @Override
    public int refCnt() {
      return count.refCnt();
    }

    @Override
    public ReferenceCounted retain() {
      var _ = count.retain();
      return this;
    }

    @Override
    public ReferenceCounted retain(int increment) {
      var _ = count.retain(increment);
      return this;
    }

    @Override
    public ReferenceCounted touch() {
      return this;
    }

    @Override
    public ReferenceCounted touch(Object hint) {
      return this;
    }

    @Override
    public boolean release() {
      return count.release();
    }

    @Override
    public boolean release(int decrement) {
      return count.release(decrement);
    }
  }

  @Test
  void aContextIsReleasedWithItsListener() throws Exception {
    var context = new CountedContext();
    try (TestGateway gateway = new TestGateway(Transport.NIO, TestGateway.OPTIONS, context);
        RawClient client = connect(gateway)) {
      client.get("/v1/models", gateway.keys.authorization());
      assertThat(client.readResponse().status()).isEqualTo(200);
      assertThat(context.whileInUse).as("held while a connection is made of it").isEqualTo(2);
      assertThat(context.refCnt()).isEqualTo(1);
    }
    assertThat(context.refCnt()).isZero();
  }

  @Test
  void aContextIsReleasedWhenItIsReplaced() throws Exception {
    var first = new CountedContext();
    var second = new CountedContext();
    var late = new CountedContext();
    Tls tls = new Tls(first);
    tls.replace(second);
    assertThat(List.of(first.refCnt(), second.refCnt())).containsExactly(0, 1);
    tls.close();
    assertThat(second.refCnt()).isZero();
    tls.replace(late);
    assertThat(late.refCnt()).isZero();
  }
}
