package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One node with its own store over its life: stopped, killed, and told from a second one. */
@Execution(ExecutionMode.CONCURRENT)
class RestartIT {
  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void keysOutliveStopsAndKillsAndTheDataHasOneOwner() throws Exception {
    Setup setup = Setup.empty().mock("mock").model("test/chat", "mock", "mock-chat?chunks=2");
    try (Folder folder = Folder.with(setup)) {
      String key;
      try (Binary first = Binary.start(folder)) {
        key = first.bootstrapKey();
        assertThat(Chats.ask(first, "test/chat", key).status()).isEqualTo(200);
        assertASecondOneIsRefused(folder);
        first.terminate();
        assertThat(first.awaitExit()).isZero();
        assertThat(folder.postmaster()).as("the database was stopped too").isZero();
      }
      long orphan;
      try (Binary second = Binary.start(folder)) {
        assertThat(second.out().text()).as("the key is printed once").doesNotContain("sk-llm-");
        assertThat(Chats.ask(second, "test/chat", key).status()).isEqualTo(200);
        orphan = folder.postmaster();
        second.kill();
        assertThat(ProcessHandle.of(orphan)).as("the database lives on").isPresent();
        assertAnotherStartsOnTheOrphan(folder, key);
      }
    }
  }

  private static void assertASecondOneIsRefused(Folder folder) throws Exception {
    try (Binary second = Binary.launch(folder, List.of(), "listeners.admin.address=127.0.0.1:0")) {
      assertThat(second.awaitExit()).isEqualTo(1);
      assertThat(second.err().whole()).contains(folder.dataDir().toString());
      assertThat(second.err().text()).doesNotContain("\tat ");
    }
  }

  private static void assertAnotherStartsOnTheOrphan(Folder folder, String key) throws Exception {
    try (Binary third = Binary.start(folder)) {
      assertThat(third.err().await(line -> line.contains("ADOPTED"), SOON)).isPresent();
      assertThat(Chats.ask(third, "test/chat", key).status()).isEqualTo(200);
      third.terminate();
      assertThat(third.awaitExit()).isZero();
      assertThat(folder.postmaster()).isZero();
    }
  }
}
