package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.pipeline.ScriptedService.Call;
import dev.tollgate.core.testkit.RawClient;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Effects of a balancer's PROXY header on a connection. */
final class ProxyProtocolTest {
  private static final TestGateway GATEWAY = gateway("127.0.0.1");
  private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
  private static final String V4 = "c6336407" + "0a000001" + "1234" + "01bb"; // 198.51.100.7
  private static final String V6 =
      "20010db8000000000000000000000007" + "20010db8000000000000000000000001" + "1234" + "01bb";

  private static TestGateway gateway(String trusted) {
    GatewayOptions usual = TestGateway.OPTIONS;
    GatewayOptions behindBalancer =
        new GatewayOptions(
            usual.address(),
            true,
            CidrSet.parse(List.of(trusted)),
            usual.requestBytesMax(),
            usual.multipartBytesMax(),
            usual.headerBytesMax(),
            usual.connectionsMax(),
            usual.unprovenPerAddressMax(),
            usual.headerTimeout(),
            usual.bodyTimeout(),
            usual.writeStall(),
            usual.idleTimeout(),
            null,
            null);
    return new TestGateway(Transport.auto(), behindBalancer, null);
  }

  @AfterAll
  static void close() {
    GATEWAY.close();
  }

  private static byte[] header(String versionAndFamily, String rest) {
    String length = HexFormat.of().toHexDigits((short) (rest.length() / 2));
    return HexFormat.of().parseHex(SIGNATURE + versionAndFamily + length + rest);
  }

  private static byte[] withChecksum(int flipped) {
    byte[] header = header("2111", V4 + "030004" + "00000000" + "ea0001" + "61");
    CRC32C crc = new CRC32C();
    crc.update(header);
    ByteBuffer.wrap(header).putInt(16 + 12 + 3, (int) crc.getValue() ^ flipped);
    return header;
  }

  private static String address(byte[] header, int bytesPerWrite) throws Exception {
    String request =
        "GET /v1/models HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.9\r\n"
            + GATEWAY.keys.authorization()
            + "\r\n\r\n";
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(header);
    all.write(request.getBytes(StandardCharsets.US_ASCII));
    try (RawClient client = GATEWAY.connect().sendSplit(bytesPerWrite, all.toByteArray())) {
      assertThat(client.readResponse().status()).isEqualTo(200);
      Call call = GATEWAY.service.awaitCall();
      return call.request.caller().clientAddress();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 1000})
  void theHeaderNamesTheClientHoweverItIsCut(int bytesPerWrite) throws Exception {
    assertThat(address(header("2111", V4), bytesPerWrite)).isEqualTo("198.51.100.7");
    assertThat(address(header("2121", V6), bytesPerWrite)).isEqualTo("2001:db8::7");
    assertThat(address(withChecksum(0), bytesPerWrite)).isEqualTo("198.51.100.7");
  }

  @Test
  void aBalancerThatSpeaksForItselfMayForward() throws Exception {
    assertThat(address(header("2000", ""), 1000)).isEqualTo("203.0.113.9");
    assertThat(address(header("2011", V4), 1000)).isEqualTo("203.0.113.9");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "version 1,          50524f585920544350342031",
    "no header,          474554202f20485454502f31",
    "version 3,          SIG 3111 000c V4",
    "unknown command,    SIG 2211 000c V4",
    "unspecified family, SIG 2100 0000",
    "unix socket,        SIG 2131 000c V4",
    "udp,                SIG 2112 000c V4",
    "too short,          SIG 2111 0008 c633640700000000",
    "too long,           SIG 2111 0209 V4",
    "broken extension,   SIG 2111 000e V4 0400",
    "extension too long, SIG 2111 0010 V4 04000261",
    "short checksum,     SIG 2111 0011 V4 0300020000",
  })
  void anythingElseEndsTheConnection(String name, String bytes) {
    String hex = bytes.replace("SIG", SIGNATURE).replace("V4", V4).replace(" ", "");
    assertThat(hex).as(name).isNotEmpty();
    assertClosedSilently(HexFormat.of().parseHex(hex));
  }

  @Test
  void aWrongChecksumEndsTheConnection() {
    assertClosedSilently(withChecksum(1));
  }

  private static void assertClosedSilently(byte[] bytes) {
    try (RawClient client = GATEWAY.connect().send(bytes)) {
      assertThat(client.readToEnd()).isEmpty();
      assertThat(GATEWAY.service.calls).isEmpty();
    }
  }

  @Test
  void onlyTrustedBalancersMayConnect() {
    try (TestGateway elsewhere = gateway("10.0.0.0/8");
        RawClient client = elsewhere.connect()) {
      assertThat(client.readToEnd()).isEmpty();
    }
  }
}
