package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A data directory was copied, and both copies run: only the one that started last may spend. */
@Tag("chaos")
class CopiedNodeIT {
  private static final int NOT_TO_BE_STARTED_AGAIN = 78;
  private static final Duration SOON = Duration.ofSeconds(20);

  @Test
  void theOlderCopyStopsAdmissionAndExits() throws Exception {
    NodeFolder database = SharedNode.node().home();
    String[] store = database.storeSettings().toArray(String[]::new);
    try (NodeFolder first = NodeFolder.with(SharedNode.setup());
        NodeFolder second = NodeFolder.with(SharedNode.setup())) {
      try (GatewayProcess older = GatewayProcess.start(first, store)) {
        assertThat(ChatRequests.ask(older, "test/chat").status()).isEqualTo(200);
        older.admin().awaitBooked();
        copy(first.dataDir().resolve("journal"), second.dataDir().resolve("journal"));
        try (ClosedLoopLoad load = ClosedLoopLoad.on(older, SharedNode.key(), "test/chat", 2);
            GatewayProcess younger = GatewayProcess.start(second, store)) {
          assertThat(older.err().await(line -> line.contains("took over this node"), SOON))
              .isPresent();
          assertThat(older.awaitExit()).isEqualTo(NOT_TO_BE_STARTED_AGAIN);
          load.end();
          assertThat(load.answers())
              .allSatisfy(
                  each -> assertThat(each.code()).isIn("", "service_unavailable", "shutting_down"));
          assertThat(ChatRequests.ask(younger, "test/chat").status()).isEqualTo(200);
          younger.admin().awaitBooked();
          LedgerDatabase.of(database).awaitAll(load.reportedCosts());
        }
      }
    }
    LedgerDatabase.of(database).requireAuditClean();
  }

  private static void copy(Path from, Path to) throws Exception {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }
}
