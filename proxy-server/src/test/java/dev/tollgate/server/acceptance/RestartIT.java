package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One node with its own store over restarts: stopped, killed, and refused while another runs. */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class RestartIT {
  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void keysSurviveRestartsAndTheDataHasOneOwner() throws Exception {
    ConfigBuilder setup =
        ConfigBuilder.empty().mock("mock").model("test/chat", "mock", "mock-chat?chunks=2");
    try (NodeFolder folder = NodeFolder.with(setup)) {
      String key;
      try (GatewayProcess first = GatewayProcess.start(folder)) {
        key = first.bootstrapKey();
        assertThat(ChatRequests.ask(first, "test/chat", key).status()).isEqualTo(200);
        assertASecondOneIsRefused(folder);
        first.terminate();
        assertThat(first.awaitExit()).isZero();
        assertThat(folder.postmaster()).as("the database was stopped too").isZero();
      }
      long orphan;
      try (GatewayProcess second = GatewayProcess.start(folder)) {
        assertThat(second.out().text()).as("the key is printed once").doesNotContain("sk-llm-");
        assertThat(ChatRequests.ask(second, "test/chat", key).status()).isEqualTo(200);
        orphan = folder.postmaster();
        second.kill();
        assertThat(ProcessHandle.of(orphan)).as("the database is still running").isPresent();
        assertAnotherStartsOnTheOrphan(folder, key);
      }
    }
  }

  private static void assertASecondOneIsRefused(NodeFolder folder) throws Exception {
    try (GatewayProcess second =
        GatewayProcess.launch(folder, List.of(), "listeners.admin.address=127.0.0.1:0")) {
      assertThat(second.awaitExit()).isEqualTo(1);
      assertThat(second.err().whole()).contains(folder.dataDir().toString());
      assertThat(second.err().text()).doesNotContain("\tat ");
    }
  }

  private static void assertAnotherStartsOnTheOrphan(NodeFolder folder, String key)
      throws Exception {
    try (GatewayProcess third = GatewayProcess.start(folder)) {
      assertThat(third.err().await(line -> line.contains("ADOPTED"), SOON)).isPresent();
      assertThat(ChatRequests.ask(third, "test/chat", key).status()).isEqualTo(200);
      third.terminate();
      assertThat(third.awaitExit()).isZero();
      assertThat(folder.postmaster()).isZero();
    }
  }
}
