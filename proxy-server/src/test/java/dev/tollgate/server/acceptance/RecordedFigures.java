package dev.tollgate.server.acceptance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Figures that tests record in {@code proxy-server/target/figures}. */
final class RecordedFigures {
  private RecordedFigures() {}

  static void keep(String test, String figures) throws IOException {
    Path folder = Path.of(System.getProperty("tollgate.root"), "proxy-server/target/figures");
    Files.createDirectories(folder);
    Files.writeString(folder.resolve(test + ".txt"), figures + "\n");
  }
}
