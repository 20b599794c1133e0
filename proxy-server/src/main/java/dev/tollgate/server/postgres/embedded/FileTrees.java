package dev.tollgate.server.postgres.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** File operations that never follow symbolic links. */
public final class FileTrees {
  private FileTrees() {}

  public static void delete(Path root) throws IOException {
    for (Path path : deepestFirst(root)) {
      Files.deleteIfExists(path);
    }
  }

  /** Makes the user the owner of a file or folder itself; empty leaves the present one. */
  static void giveTo(OptionalInt uid, Path path) throws IOException {
    if (uid.isPresent()) {
      Files.setAttribute(path, "unix:uid", uid.getAsInt(), LinkOption.NOFOLLOW_LINKS);
    }
  }

  private static List<Path> deepestFirst(Path root) throws IOException {
    if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.walk(root)) {
      return paths.sorted(Comparator.reverseOrder()).toList();
    }
  }
}
