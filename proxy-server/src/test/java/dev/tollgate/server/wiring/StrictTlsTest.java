package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.settings.ListenerSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Key exchanges and versions that the listener takes, against clients that offer one of them. */
final class StrictTlsTest {
  private static final X509Bundle RSA = certificate();

  private static X509Bundle certificate() {
    try {
      return new CertificateBuilder()
          .rsa2048()
          .subject("CN=localhost")
          .setIsCertificateAuthority(true)
          .buildSelfSigned();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void aClientThatOffersWhatJavaNoLongerDoes() {
    assertThat(OpenSsl.isAvailable()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "TLSv1.2, TLS_RSA_WITH_AES_128_GCM_SHA256, false",
    "TLSv1.2, TLS_RSA_WITH_AES_256_CBC_SHA, false",
    "TLSv1.2, TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, false",
    "TLSv1.1, TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, false",
    "TLSv1.2, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, true",
    "TLSv1.2, TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, true",
    "TLSv1.2, TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, true",
    "TLSv1.3, TLS_AES_128_GCM_SHA256, true"
  })
  void onlyForwardSecrecyIsTaken(String version, String cipher, boolean taken) throws Exception {
    SslContext server =
        Objects.requireNonNull(
            Network.serverTls(
                "listeners.api.tls",
                new ListenerSettings.Tls(
                    RSA.toTempCertChainPem().toPath(), RSA.toTempPrivateKeyPem().toPath())));
    SslContext client =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.OPENSSL)
            .trustManager(InsecureTrustManagerFactory.INSTANCE)
            .endpointIdentificationAlgorithm("")
            .protocols(version)
            .ciphers(List.of(cipher))
            .build();
    try {
      assertThat(isHandshakeComplete(server, client)).isEqualTo(taken);
    } finally {
      ReferenceCountUtil.release(server);
      ReferenceCountUtil.release(client);
    }
  }

  private static boolean isHandshakeComplete(SslContext server, SslContext client) {
    SslHandler accepting = server.newHandler(UnpooledByteBufAllocator.DEFAULT);
    SslHandler connecting = client.newHandler(UnpooledByteBufAllocator.DEFAULT);
    EmbeddedChannel gateway = new EmbeddedChannel(accepting);
    EmbeddedChannel peer = new EmbeddedChannel(connecting);
    try {
      for (int i = 0; i < 10 && !connecting.handshakeFuture().isDone(); i++) {
        exchange(peer, gateway);
        exchange(gateway, peer);
      }
      exchange(peer, gateway);
      return accepting.handshakeFuture().isSuccess() && connecting.handshakeFuture().isSuccess();
    } finally {
      end(gateway);
      end(peer);
    }
  }

  /** Releases what is left, also behind a failed handshake. */
  private static void end(EmbeddedChannel channel) {
    var _ = channel.close();
    channel.releaseInbound();
    channel.releaseOutbound();
  }

  private static void exchange(EmbeddedChannel from, EmbeddedChannel to) {
    from.runPendingTasks();
    for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      try {
        to.writeInbound(bytes);
      } catch (Exception _) {
        return; // the handshake has failed
      }
    }
  }
}
