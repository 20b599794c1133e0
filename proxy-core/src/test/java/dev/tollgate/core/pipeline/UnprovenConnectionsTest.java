package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import dev.tollgate.core.testkit.RawClient;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections that have proved no key are few for each address, and give way to others. */
final class UnprovenConnectionsTest {
  private final List<RawClient> clients = new ArrayList<>();

  @AfterEach
  void close() {
    clients.forEach(RawClient::close);
  }

  @Test
  void theOneThatIsSilentLongestGivesWay() throws Exception {
    try (TestGateway gateway = gateway(20_000, 3, "10.0.0.0/8", false)) {
      RawClient oldest = open(gateway, 1);
      RawClient second = open(gateway, 2);
      RawClient third = open(gateway, 3);
      oldest.send("GET /v1/mod");
      gateway.awaitGauges(gauges -> gauges.byPhase().getOrDefault("head", 0) == 1);
      RawClient fourth = connect(gateway);
      second.awaitClosed();
      for (RawClient kept : List.of(third, fourth)) {
        assertServes(gateway, kept);
      }
      oldest.send("els HTTP/1.1\r\nHost: a\r\n" + gateway.keys.authorization() + "\r\n\r\n");
      assertThat(oldest.readResponse().status()).isEqualTo(200);
      assertThat(gateway.gauges().evictedAtAddressLimit()).isEqualTo(1);
      assertThat(gateway.gauges().unproven()).isZero();
    }
  }

  @Test
  void whoProvedAKeyNeitherCountsNorGivesWay() throws Exception {
    try (TestGateway gateway = gateway(20_000, 2, "10.0.0.0/8", false)) {
      List<RawClient> proved = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        proved.add(connect(gateway));
        assertServes(gateway, proved.get(i));
      }
      open(gateway, 1);
      open(gateway, 2);
      connect(gateway);
      clients.get(6).awaitClosed();
      for (RawClient each : proved) {
        assertServes(gateway, each);
      }
      assertThat(gateway.gauges().evictedAtAddressLimit()).isEqualTo(1);
    }
  }

  @Test
  void aKeyThatIsNotValidProvesNothing() throws Exception {
    try (TestGateway gateway = gateway(20_000, 2, "10.0.0.0/8", false)) {
      RawClient refused = open(gateway, 1);
      refused.get("/v1/models", gateway.keys.header(new CacheResult.Unknown()));
      assertThat(refused.readResponse().status()).isEqualTo(401);
      assertThat(gateway.gauges().unproven()).isEqualTo(1);
    }
  }

  /** One that waits for its key to be looked up is recorded when it gives way. */
  @Test
  void aRequestThatGivesWayIsRecordedAsShed() throws Exception {
    try (TestGateway gateway = gateway(20_000, 1, "10.0.0.0/8", false)) {
      gateway.keys.hold();
      RawClient waiting = open(gateway, 1);
      waiting.get("/v1/models", gateway.keys.authorization());
      Runnable lookedUp = gateway.keys.awaitLookup();
      connect(gateway);
      waiting.awaitClosed();
      assertThat(gateway.awaitRecord().outcome()).isEqualTo(RequestOutcome.SHED);
      lookedUp.run();
      gateway.awaitLoops();
      assertThat(gateway.service.calls).isEmpty();
    }
  }

  @Test
  void silentConnectionsOfOnePeerLeaveTheNodeToHonestOnes() throws Exception {
    try (TestGateway gateway = gateway(60, 256, "10.0.0.0/8", false)) {
      for (int i = 0; i < 90; i++) {
        connect(gateway);
      }
      for (int i = 0; i < 30; i++) {
        assertServes(gateway, connect(gateway));
      }
      assertThat(gateway.gauges().refused()).isZero();
      assertThat(gateway.gauges().evictedAtNodeLimit()).isGreaterThanOrEqualTo(60);
      gateway.awaitLoops();
      assertThat(gateway.gauges().open()).isLessThanOrEqualTo(60);
    }
  }

  @Test
  void aNodeFullOfProvedConnectionsTakesNoOther() throws Exception {
    try (TestGateway gateway = gateway(2, 256, "10.0.0.0/8", false)) {
      assertServes(gateway, connect(gateway));
      assertServes(gateway, connect(gateway));
      connect(gateway).awaitClosed();
      assertThat(gateway.gauges().refused()).isEqualTo(1);
    }
  }

  @Test
  void trustedProxiesHaveNothingToProve() throws Exception {
    try (TestGateway gateway = gateway(20_000, 1, "127.0.0.1", false)) {
      for (int i = 0; i < 5; i++) {
        connect(gateway);
      }
      for (RawClient each : clients) {
        assertServes(gateway, each);
      }
      assertThat(gateway.gauges().unproven()).isZero();
    }
  }

  @Test
  void behindABalancerTheAddressOfTheClientCounts() throws Exception {
    try (TestGateway gateway = gateway(20_000, 1, "127.0.0.1", true)) {
      RawClient other = connect(gateway).send(proxyHeader("cb007109"));
      awaitUnproven(gateway, 1);
      RawClient first = connect(gateway).send(proxyHeader("c6336407"));
      awaitUnproven(gateway, 2);
      RawClient second = connect(gateway).send(proxyHeader("c6336407"));
      first.awaitClosed();
      assertServes(gateway, second);
      assertServes(gateway, other);
    }
  }

  private static byte[] proxyHeader(String source) {
    String rest = source + "0a000001" + "1234" + "01bb";
    return HexFormat.of().parseHex("0d0a0d0a000d0a515549540a" + "2111" + "000c" + rest);
  }

  private static TestGateway gateway(
      int connectionsMax, int perAddressMax, String trusted, boolean proxyProtocol) {
    GatewayOptions usual = TestGateway.OPTIONS;
    GatewayOptions options =
        new GatewayOptions(
            usual.address(),
            proxyProtocol,
            CidrSet.parse(List.of(trusted)),
            usual.requestBytesMax(),
            usual.multipartBytesMax(),
            usual.headerBytesMax(),
            connectionsMax,
            perAddressMax,
            usual.headerTimeout(),
            usual.bodyTimeout(),
            usual.writeStall(),
            usual.idleTimeout(),
            null,
            null);
    return new TestGateway(Transport.auto(), options, null);
  }

  private RawClient connect(TestGateway gateway) {
    RawClient client = gateway.connect();
    clients.add(client);
    return client;
  }

  /** Connects, and waits until so many connections count. */
  private RawClient open(TestGateway gateway, int unproven) throws InterruptedException {
    RawClient client = connect(gateway);
    awaitUnproven(gateway, unproven);
    return client;
  }

  private static void awaitUnproven(TestGateway gateway, int count) throws InterruptedException {
    gateway.awaitGauges(gauges -> gauges.unproven() == count);
  }

  private static void assertServes(TestGateway gateway, RawClient client) {
    client.get("/v1/models", gateway.keys.authorization());
    assertThat(client.readResponse().status()).isEqualTo(200);
  }
}
