package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The control plane beside the API in one process. */
final class ControlModuleIT {
  @TempDir Path folder;

  private static String control(String settings) {
    return TestGateway.CONFIGURATION.replace(
        "control: { address: null }", "control: { " + settings + " }");
  }

  private static RawClient connect(TestGateway gateway) {
    String url = Objects.requireNonNull(gateway.greeting().controlUrl());
    return RawClient.connect(URI.create(url).getPort());
  }

  @Test
  void eachListenerServesItsOwnPathsOnly() throws Exception {
    try (var gateway = TestGateway.start(folder, control("address: \"127.0.0.1:0\""));
        RawClient control = connect(gateway);
        RawClient api = gateway.connect()) {
      RawResponse meta = control.get("/api/v1/meta").readResponse();
      assertThat(meta.status()).isEqualTo(200);
      JsonNode members = new ObjectMapper().readTree(meta.text());
      assertThat(members.path("product").asText()).isEqualTo("Tollgate");
      assertThat(members.path("api_base_url").asText()).isEqualTo(gateway.greeting().baseUrl());
      String key = "Authorization: Bearer " + gateway.key();
      assertThat(control.get("/v1/models", key).readResponse().status()).isEqualTo(404);
      assertThat(api.get("/api/v1/meta", key).readResponse().status()).isEqualTo(404);
      assertThat(api.get("/", key).readResponse().status()).isEqualTo(404);
      RawResponse shell = control.get("/requests").readResponse();
      assertThat(shell.status()).isEqualTo(200);
      assertThat(shell.header("content-type")).startsWith("text/html");
      assertThat(shell.header("content-security-policy")).contains("trusted-types 'none'");
      assertThat(shell.header("cache-control")).isEqualTo("no-store");
      assertThat(gateway.metric("tollgate_control_connections")).isEqualTo("1.0");
    }
  }

  @Test
  void itHasOneLoopAndDrainsWithTheApi() throws Exception {
    try (var gateway = TestGateway.start(folder, control("address: \"127.0.0.1:0\""));
        RawClient control = connect(gateway)) {
      assertThat(control.get("/api/v1/openapi.json").readResponse().status()).isEqualTo(200);
      assertThat(loops()).isOne();
      gateway.server().stop();
      gateway.server().awaitDrained();
      assertThat(control.readToEnd()).isEmpty();
    }
    assertThat(loops()).isZero();
  }

  @Test
  void withoutAnAddressNothingOfItExists() throws Exception {
    try (var gateway = TestGateway.start(folder, TestGateway.CONFIGURATION)) {
      assertThat(gateway.greeting().controlUrl()).isNull();
      assertThat(loops()).isZero();
      assertThat(gateway.metric("tollgate_control_connections")).isNull();
      assertThat(gateway.server().store().pools()).doesNotContainKey("control");
    }
  }

  private static long loops() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("control-loop"))
        .count();
  }
}
