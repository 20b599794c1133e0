package dev.tollgate.server.postgres.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Recursive file operations on a folder and everything in it, which never follow symbolic links.
 */
public final class FileTrees {
  private FileTrees() {}

  public static void delete(Path root) throws IOException {
    for (Path path : deepestFirst(root)) {
      Files.deleteIfExists(path);
    }
  }

  static void changeOwner(Path root, String user) throws IOException {
    UserPrincipal owner =
        root.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user);
    for (Path path : deepestFirst(root)) {
      Files.setAttribute(path, "posix:owner", owner, LinkOption.NOFOLLOW_LINKS);
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
