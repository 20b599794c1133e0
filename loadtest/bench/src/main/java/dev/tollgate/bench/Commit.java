package dev.tollgate.bench;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the Git commit of the checkout that this program runs from, by reading Git's files. */
final class Commit {
  private static final String UNKNOWN = "unknown";
  private static final String REF = "ref: ";
  private static final String ELSEWHERE = "gitdir: ";

  private Commit() {}

  static String ofThisProgram() {
    CodeSource source = Commit.class.getProtectionDomain().getCodeSource();
    try {
      return source == null ? UNKNOWN : above(Path.of(source.getLocation().toURI()));
    } catch (URISyntaxException _) {
      return UNKNOWN;
    }
  }

  /** Returns the commit of the checkout that contains a file, or {@code unknown}. */
  static String above(Path file) {
    try {
      for (Path folder = file; folder != null; folder = folder.getParent()) {
        Path git = folder.resolve(".git");
        if (Files.exists(git)) {
          return head(repository(git));
        }
      }
      return UNKNOWN;
    } catch (IOException _) {
      return UNKNOWN;
    }
  }

  /** Returns Git's folder; a worktree has a file with its path instead. */
  private static Path repository(Path git) throws IOException {
    if (Files.isDirectory(git)) {
      return git;
    }
    String elsewhere = Files.readString(git).strip();
    if (!elsewhere.startsWith(ELSEWHERE)) {
      throw new IOException("no Git folder: " + git);
    }
    return git.resolveSibling(elsewhere.substring(ELSEWHERE.length()));
  }

  private static String head(Path repository) throws IOException {
    String head = Files.readString(repository.resolve("HEAD")).strip();
    if (!head.startsWith(REF)) {
      return head;
    }
    String name = head.substring(REF.length());
    Path common = repository.resolve("commondir");
    Path shared =
        Files.exists(common)
            ? repository.resolve(Files.readString(common).strip()).normalize()
            : repository;
    for (Path place : List.of(repository, shared)) {
      if (Files.exists(place.resolve(name))) {
        return Files.readString(place.resolve(name)).strip();
      }
    }
    String packed = packed(shared, name);
    return packed == null ? UNKNOWN : packed;
  }

  private static @Nullable String packed(Path shared, String name) throws IOException {
    Path file = shared.resolve("packed-refs");
    if (!Files.exists(file)) {
      return null;
    }
    return Files.readAllLines(file).stream()
        .filter(line -> line.endsWith(" " + name))
        .map(line -> line.substring(0, line.indexOf(' ')))
        .findFirst()
        .orElse(null);
  }
}
