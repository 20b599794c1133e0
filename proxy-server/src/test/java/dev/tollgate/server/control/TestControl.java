package dev.tollgate.server.control;

import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.pipeline.Tls;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.SessionId;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.control.route.Handlers;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.settings.value.BindAddress;
import dev.tollgate.server.settings.value.HttpUrl;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** A control listener on a loopback port with routes of a test, and without a store. */
final class TestControl implements AutoCloseable {
  static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");

  final Map<String, Principal> sessions = new ConcurrentHashMap<>();
  final Map<String, String> newCookies = new ConcurrentHashMap<>();
  final AtomicBoolean isShedding = new AtomicBoolean();
  final Metrics metrics = new Metrics();
  final ControlListener listener;
  final int port;

  TestControl(Handlers handlers) {
    this(handlers, options(null, 64, 1_000));
  }

  TestControl(Handlers handlers, ControlListener.Options options) {
    var gone = new PGSimpleDataSource();
    gone.setServerNames(new String[] {"127.0.0.1"});
    gone.setPortNumbers(new int[] {1});
    listener =
        new ControlListener(
            options,
            new ControlListener.Ports(
                handlers, new Sessions(), gone, InstantSource.fixed(NOW), isShedding::get),
            new ControlMetrics(metrics),
            PooledByteBufAllocator.DEFAULT);
    port = listener.bind().getPort();
  }

  static ControlListener.Options options(@Nullable HttpUrl publicUrl, int calls, int perSecond) {
    return new ControlListener.Options(
        new BindAddress("127.0.0.1", 0),
        publicUrl,
        null,
        CidrSet.NONE,
        512,
        calls,
        perSecond,
        60 * perSecond);
  }

  /** Returns options of a listener with TLS. */
  static ControlListener.Options options(SslContext tls) {
    return new ControlListener.Options(
        new BindAddress("127.0.0.1", 0), null, new Tls(tls), CidrSet.NONE, 512, 64, 1_000, 60_000);
  }

  /** Signs a person in, and returns the header line of its cookie. */
  String signIn(boolean isOperator, Instant provenAt) {
    String cookie = UUID.randomUUID().toString();
    sessions.put(
        cookie,
        new Principal.Person(
            new UserId(UUID.randomUUID()),
            "a@example.com",
            "A",
            isOperator,
            new SessionId(UUID.randomUUID()),
            provenAt));
    return "Cookie: tollgate_session=" + cookie;
  }

  /** Returns the header line of a control token of the platform. */
  String token() {
    String token = "tgc_" + UUID.randomUUID();
    sessions.put(token, new Principal.Token("tokenid1", "ci", null, null));
    return "Authorization: Bearer " + token;
  }

  RawClient connect() {
    return RawClient.connect(port);
  }

  /** The sessions and tokens that the test made. */
  private final class Sessions implements PrincipalResolver {
    @Override
    public Identity bySession(String cookie, String ip) {
      return new Identity(byToken(cookie, ip), newCookies.get(cookie));
    }

    @Override
    public Principal byToken(String token, String ip) {
      Principal known = sessions.get(token);
      if (known == null) {
        throw Refused.unauthenticated();
      }
      return known;
    }
  }

  @Override
  public void close() {
    listener.close();
  }
}
