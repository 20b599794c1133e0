package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A data directory was copied, and both copies run: only the one that started last may spend. */
class CopiedNodeIT {
  private static final int NOT_TO_BE_STARTED_AGAIN = 78;
  private static final Duration SOON = Duration.ofSeconds(20);

  @Test
  void theOlderOneAdmitsNothingMoreAndEnds() throws Exception {
    Folder database = Shared.node().home();
    String[] store = database.storeSettings().toArray(String[]::new);
    try (Folder first = Folder.with(Shared.setup());
        Folder second = Folder.with(Shared.setup())) {
      try (Binary older = Binary.start(first, store)) {
        assertThat(Chats.ask(older, "test/chat").status()).isEqualTo(200);
        older.admin().awaitBooked();
        copy(first.dataDir().resolve("journal"), second.dataDir().resolve("journal"));
        try (Load load = Load.on(older, Shared.key(), "test/chat", 2);
            Binary younger = Binary.start(second, store)) {
          assertThat(older.err().await(line -> line.contains("took over this node"), SOON))
              .isPresent();
          assertThat(older.awaitExit()).isEqualTo(NOT_TO_BE_STARTED_AGAIN);
          load.end();
          assertThat(load.answers())
              .allSatisfy(
                  each -> assertThat(each.code()).isIn("", "service_unavailable", "shutting_down"));
          assertThat(Chats.ask(younger, "test/chat").status()).isEqualTo(200);
          younger.admin().awaitBooked();
          Books.of(database).awaitAll(load.told());
        }
      }
    }
    Books.of(database).requireAuditClean();
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
