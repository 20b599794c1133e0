package dev.tollgate.server.postgres.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a running PostgreSQL says of itself in {@code postmaster.pid}.
 *
 * @param startedAtSecond when it was started, by its own clock; what tells it from one before that
 *     had the same number
 * @param status {@code starting}, {@code ready}, {@code stopping}, {@code standby}; empty while the
 *     file is being written
 */
record PostmasterPid(
    long pid, String dataDirectory, long startedAtSecond, int port, String status) {

  /** The file's content, or empty where there is none or it is not complete yet. */
  static Optional<PostmasterPid> read(Path dataDirectory) throws IOException {
    try {
      List<String> lines = Files.readAllLines(file(dataDirectory));
      if (lines.size() < 4) {
        return Optional.empty();
      }
      return Optional.of(
          new PostmasterPid(
              Long.parseLong(lines.get(0).strip()),
              lines.get(1).strip(),
              Long.parseLong(lines.get(2).strip()),
              Integer.parseInt(lines.get(3).strip()),
              lines.size() < 8 ? "" : lines.get(7).strip()));
    } catch (NoSuchFileException notRunning) {
      return Optional.empty();
    } catch (NumberFormatException halfWritten) {
      return Optional.empty();
    }
  }

  static Path file(Path dataDirectory) {
    return dataDirectory.resolve("postmaster.pid");
  }

  boolean isReady() {
    return status.equals("ready");
  }

  boolean isStopping() {
    return status.equals("stopping");
  }

  /**
   * Whether the process of that number still is this postmaster. After a restart of the machine or
   * container the number may belong to anything; the postmaster names its directory on its command
   * line.
   */
  boolean isAlive() {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)
        && commandLine().map(line -> line.contains(dataDirectory)).orElse(true);
  }

  /**
   * Whether it was started on these files. After a copy or a move of the directory the file names
   * the place where the server was started, which then is another one, or none.
   */
  boolean isOn(Path cluster) throws IOException {
    try {
      return Files.isSameFile(Path.of(dataDirectory), cluster);
    } catch (NoSuchFileException moved) {
      return false;
    }
  }

  /** The command line of the process of that number; empty where nobody says. */
  Optional<String> commandLine() {
    return ProcessHandle.of(pid).flatMap(handle -> handle.info().commandLine());
  }
}
