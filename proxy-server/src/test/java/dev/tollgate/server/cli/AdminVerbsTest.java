package dev.tollgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.ops.AdminReply;
import dev.tollgate.server.ops.AdminRoute;
import dev.tollgate.server.ops.AdminServer;
import dev.tollgate.server.ops.Health;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AdminVerbsTest {
  private static final String TOKEN = "t0ken";

  private final Health health = new Health();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private AdminServer admin;
  private String address;

  AdminVerbsTest() throws IOException, InterruptedException {
    admin = listen(null);
    address = address(admin);
  }

  @BeforeEach
  void answer() {
    admin.handle(
        AdminRoute.PROVIDERS,
        _ ->
            AdminReply.json(
                """
                {"providers":[{"provider":"mock","endpoint":"http://127.0.0.1:4711",
                               "connections":3,"leases":2,"pending":1}]}
                """));
    admin.handle(AdminRoute.DRAIN, _ -> AdminReply.text(202, "draining"));
    admin.handle(AdminRoute.RELOAD, _ -> AdminReply.text(400, "3:1 unknown key"));
  }

  @AfterEach
  void close() {
    admin.close();
  }

  @Test
  void healthcheckExitsWithZeroOnlyWhileReady() {
    assertThat(run("healthcheck", "--admin", address)).isEqualTo(1);
    assertThat(err.toString()).isEqualToNormalizingNewlines("starting\n");

    health.transitionTo(Health.State.READY);
    assertThat(run("healthcheck", "--admin", address)).isZero();
    assertThat(out.toString()).isEqualToNormalizingNewlines("ready\n");
  }

  @Test
  void statusIsATableOrJson() {
    health.transitionTo(Health.State.READY);

    assertThat(run("status", "--admin", address)).isZero();
    assertThat(out.toString())
        .contains("state: ready", "PROVIDER", "mock", "http://127.0.0.1:4711");

    out.getBuffer().setLength(0);
    assertThat(run("status", "--admin", address, "-o", "json")).isZero();
    assertThat(out.toString()).startsWith("{\"state\":\"ready\",\"providers\":[{");
  }

  @Test
  void aRefusalIsPrintedAndFails() {
    assertThat(run("reload", "--admin", address)).isEqualTo(1);
    assertThat(err.toString()).contains("3:1 unknown key");
    assertThat(out.toString()).isEmpty();

    assertThat(run("drain", "--admin", address)).isZero();
    assertThat(out.toString()).contains("draining");
  }

  @Test
  void anUnreachableGatewayIsAFailureInOneLine() throws IOException, InterruptedException {
    admin.close();
    try (var gone = listen(null)) {
      address = address(gone);
    }

    assertThat(run("drain", "--admin", address)).isEqualTo(1);
    assertThat(err.toString()).startsWith("no gateway answers at " + address).hasLineCount(1);
  }

  @Test
  void addressAndTokenComeFromTheConfiguration(@TempDir Path folder)
      throws IOException, InterruptedException {
    admin.close();
    admin = listen(new Secret(TOKEN));
    answer();
    Path file = folder.resolve("tollgate.yaml");
    Files.writeString(
        file,
        """
        version: 1
        listeners: { admin: { address: "%s", token: %s } }
        """
            .formatted(address(admin), TOKEN));

    assertThat(run("drain", "--config", file.toString())).as(err.toString()).isZero();
    assertThat(run("drain", "--admin", address(admin))).isEqualTo(1);
    assertThat(err.toString()).contains("unauthenticated").doesNotContain(TOKEN);
  }

  @Test
  void anInvalidConfigurationIsAFailureAndNotAUsageError(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("tollgate.yaml"), "version: 1\nservr: {}\n");
    for (String verb : List.of("healthcheck", "status", "reload", "drain")) {
      err.getBuffer().setLength(0);
      assertThat(run(verb, "--config", file.toString())).as(verb).isEqualTo(1);
      assertThat(err.toString()).contains("2:1: servr: unknown key").doesNotContain("Usage:");
    }
  }

  @Test
  void aWrongAddressIsAUsageError() {
    assertThat(run("status", "--admin", "nowhere")).isEqualTo(2);
    assertThat(err.toString()).contains("not HOST:PORT: nowhere");
  }

  private int run(String... arguments) {
    return Main.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private AdminServer listen(@Nullable Secret token) throws IOException, InterruptedException {
    var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return AdminServer.listen(loopback, token, health);
  }

  private static String address(AdminServer server) {
    return "127.0.0.1:" + server.address().getPort();
  }
}
