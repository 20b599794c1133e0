package dev.tollgate.core.egress;

import dev.tollgate.core.catalog.EndpointTls;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.net.UrlRules;
import dev.tollgate.core.upstream.SocketConnector;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.jspecify.annotations.Nullable;

/** Certificate authority of a test: TLS servers on 127.0.0.1, and a client that trusts them. */
public final class LoopbackTls {
  public static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");

  private final X509Bundle root;
  private final SslContext client;

  public LoopbackTls(SslProvider provider) throws Exception {
    root =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=Tests")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    client =
        SslContextBuilder.forClient()
            .sslProvider(provider)
            .trustManager(root.toTrustManagerFactory())
            .build();
  }

  /** Returns the context of a server with these names. */
  public SSLContext server(List<String> names) throws Exception {
    var identity = new CertificateBuilder().ecp256().subject("CN=server");
    names.forEach(identity::addSanDnsName);
    SSLContext server = SSLContext.getInstance("TLS");
    server.init(identity.buildIssuedBy(root).toKeyManagerFactory().getKeyManagers(), null, null);
    return server;
  }

  SSLServerSocket listen(String name) throws Exception {
    return (SSLServerSocket)
        server(List.of(name)).getServerSocketFactory().createServerSocket(0, 8, HERE);
  }

  /** Returns TLS settings that trust this authority. */
  EndpointTls settings() {
    return new EndpointTls("tests", null, client);
  }

  /** Returns a connector to the addresses of these names. */
  public PublicConnector connector(DnsResolver names) {
    return connector(names, () -> null);
  }

  PublicConnector connector(DnsResolver names, Supplier<@Nullable EndpointTls> settings) {
    var connector =
        new SocketConnector(
            NioSocketChannel::new,
            DefaultAddressResolverGroup.INSTANCE,
            client,
            PooledByteBufAllocator.DEFAULT);
    return new PublicConnector(new PublicAddressResolver(names), connector, settings);
  }

  /** Returns rules that allow 127.0.0.1 at these ports. */
  public static UrlRules urls(Set<Integer> ports) {
    CidrSet here = CidrSet.parse(List.of("127.0.0.1"));
    return new UrlRules(ports, Set.of(), here, CidrSet.NONE, Set.of(), CidrSet.NONE);
  }
}
