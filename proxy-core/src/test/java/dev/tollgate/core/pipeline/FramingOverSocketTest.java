package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.testkit.FramingRow;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every row of the framing corpus over a real socket: as it is, and with a key and a media type.
 */
@Tag("corpus")
final class FramingOverSocketTest {
  private static final String SENTINEL =
      "GET /sentinel HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  private static final TestGateway GATEWAY = impatientGateway();
  private static final String KEY = GATEWAY.keys.authorization();

  private static TestGateway impatientGateway() {
    GatewayOptions usual = TestGateway.OPTIONS;
    GatewayOptions impatient =
        new GatewayOptions(
            usual.address(),
            false,
            CidrSet.NONE,
            usual.requestBytesMax(),
            usual.multipartBytesMax(),
            usual.headerBytesMax(),
            usual.connectionsMax(),
            usual.unprovenPerAddressMax(),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            usual.writeStall(),
            usual.idleTimeout(),
            null,
            null);
    return new TestGateway(Transport.auto(), impatient, null);
  }

  static Stream<FramingRow> rowsWithKey() {
    return FramingRow.all()
        .filter(row -> row.bytes().contains("\r\nHost: a\r\n"))
        .filter(row -> !row.id().equals("h-dup-ct"))
        .map(row -> row.with(withKey(row.bytes())));
  }

  private static String withKey(String bytes) {
    String lines = "\r\nHost: a\r\n" + KEY + "\r\nContent-Type: application/json\r\n";
    return bytes.replace("\r\nHost: a\r\n", lines);
  }

  @BeforeEach
  void forgetCalls() {
    GATEWAY.service.calls.clear();
  }

  @AfterAll
  static void close() {
    GATEWAY.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.tollgate.core.testkit.FramingRow#all")
  void verdict(FramingRow row) {
    judge(row);
    assertThat(GATEWAY.service.calls).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rowsWithKey")
  void verdictWithKey(FramingRow row) {
    judge(row);
    assertThat(GATEWAY.service.calls.size())
        .isLessThanOrEqualTo(
            switch (row.verdict()) {
              case "ok1", "drop" -> 1;
              case "ok2" -> 2;
              case "either" -> 50;
              default -> 0;
            });
  }

  private static void judge(FramingRow row) {
    try (RawClient client = GATEWAY.connect().within(Duration.ofSeconds(8))) {
      client.send(row.bytes().getBytes(ISO_8859_1));
      switch (row.verdict()) {
        case "reject", "400", "413" -> assertRefused(client, row);
        case "404" -> assertThat(client.readResponse().status()).isEqualTo(404);
        case "close", "incomplete" -> assertClosedUnserved(client);
        case "ok1", "drop" -> assertResponses(client, 1);
        case "ok2" -> assertResponses(client, 2);
        case "either" -> assertThat(client.readResponse().status()).isLessThan(500);
        default -> throw new AssertionError("unknown verdict " + row.verdict());
      }
    }
  }

  private static void assertRefused(RawClient client, FramingRow row) {
    RawResponse response = client.readResponse();
    assertThat(response.status()).isBetween(400, 499);
    assertThat(response.header("connection")).isEqualTo("close");
    assertThat(response.header("x-request-id")).startsWith("req_");
    assertThat(response.text()).contains("\"request_id\":\"" + response.header("x-request-id"));
    if (!row.verdict().equals("reject")) {
      String status = Integer.toString(response.status());
      assertThat(status).isIn(row.verdict(), "401", "415");
    }
    assertThat(client.readToEnd()).isEmpty();
  }

  private static void assertClosedUnserved(RawClient client) {
    assertThat(new String(client.readToEnd(), ISO_8859_1)).doesNotContain(" 200 ");
  }

  private static void assertResponses(RawClient client, int count) {
    RawResponse last = finalResponse(client);
    for (int i = 1; i < count; i++) {
      last = finalResponse(client);
    }
    if (!"close".equals(last.header("connection"))) {
      client.send(SENTINEL);
      assertThat(client.readResponse().status()).isEqualTo(404);
    }
    assertThat(client.readToEnd()).isEmpty();
  }

  private static RawResponse finalResponse(RawClient client) {
    RawResponse response = client.readResponse();
    return response.status() == 100 ? client.readResponse() : response;
  }
}
