package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A disk that accepts no more writes, and a journal that is damaged where the disk had acknowledged
 * its data, and at its end.
 */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class DamagedJournalIT {
  private static final int HEADER_BYTES = 512;

  @Test
  void damageIsRefusedWithItsPositionAndATornEndIsAccepted() throws Exception {
    String[] store = SharedNode.node().home().storeSettings().toArray(String[]::new);
    try (NodeFolder folder = NodeFolder.with(SharedNode.setup())) {
      try (GatewayProcess node = GatewayProcess.start(folder, store)) {
        for (int i = 0; i < 4; i++) {
          assertThat(ChatRequests.ask(node, "test/chat").status()).isEqualTo(200);
        }
        node.admin().awaitBooked();
        endByItsDisk(node);
      }
      Path segment = segment(folder);
      byte[] bytes = Files.readAllBytes(segment);

      flip(segment, bytes, HEADER_BYTES + 12);
      try (GatewayProcess refused = GatewayProcess.launch(folder, List.of(), store)) {
        assertThat(refused.awaitExit()).isEqualTo(1);
        assertThat(refused.err().whole())
            .contains("damaged: ", segment.getFileName() + " at byte " + HEADER_BYTES)
            .doesNotContain("\tat ");
      }

      flip(segment, bytes, lastWritten(bytes));
      try (GatewayProcess node = GatewayProcess.start(folder, store)) {
        assertThat(ChatRequests.ask(node, "test/chat").status()).isEqualTo(200);
      }
    }
    LedgerDatabase.of(SharedNode.node().home()).requireAuditClean();
  }

  /** The journal has room for running requests, but not for its next segment. */
  @Test
  void onAFullDiskRequestsAreRefusedAndNoChargeIsLost() throws Exception {
    try (GatewayProcess node = SharedNode.beside(SharedNode.setup(), List.of());
        ClosedLoopLoad load = ClosedLoopLoad.on(node, SharedNode.key(), "test/chat", 16)) {
      load.await(200, Duration.ZERO);
      node.refuseFilesAbove(2 << 20);
      load.await(503, Duration.ZERO);
      assertThat(node.admin().get("/readyz").statusCode()).isEqualTo(503);
      node.allowFiles();
      load.await(200, Duration.ZERO);
      assertThat(node.admin().get("/readyz").statusCode()).isEqualTo(200);
      load.end();

      assertThat(load.answers())
          .filteredOn(each -> each.status() != 200)
          .isNotEmpty()
          .allSatisfy(each -> assertThat(each.code()).isEqualTo("service_unavailable"));
      node.admin().awaitBooked();
      LedgerDatabase.of(SharedNode.node().home()).awaitAll(load.reportedCosts());
    }
    LedgerDatabase.of(SharedNode.node().home()).requireAuditClean();
  }

  /** Requests that cannot be charged are refused, and stderr shows the reason. */
  private static void endByItsDisk(GatewayProcess node) throws Exception {
    node.failWrites();
    try (RawClient client = node.connect()) {
      client.post(
          ChatRequests.PATH, ChatRequests.body("test/chat", false), SharedNode.authorization());
      assertThat(node.awaitExit()).isEqualTo(1);
    }
    assertThat(node.err().whole())
        .contains("the disk of " + node.home().dataDir(), "File too large");
  }

  /** Returns the first segment with records; the next one may be preallocated. */
  private static Path segment(NodeFolder folder) throws IOException {
    try (Stream<Path> files = Files.list(folder.dataDir().resolve("journal"))) {
      return files
          .filter(file -> file.toString().endsWith(".journal"))
          .sorted()
          .findFirst()
          .orElseThrow();
    }
  }

  private static void flip(Path file, byte[] bytes, int at) throws IOException {
    byte[] flipped = bytes.clone();
    flipped[at] ^= 1;
    Files.write(file, flipped);
  }

  private static int lastWritten(byte[] bytes) {
    int at = bytes.length - 1;
    while (bytes[at] == 0) {
      at--;
    }
    return at;
  }
}
