package dev.tollgate.server.postgres.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Parsed content of {@code postmaster.pid}, the file that a running PostgreSQL server keeps in its
 * cluster's directory.
 *
 * @param startedAtSecond the start by the server's clock, which distinguishes it from an earlier
 *     process with the same number
 * @param status {@code starting}, {@code ready}, {@code stopping}, {@code standby}; empty while the
 *     file is being written
 */
record PostmasterPid(
    long pid, String dataDirectory, long startedAtSecond, int port, String status) {

  /** Reads the file; empty if it is missing or not complete yet. */
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
   * True if the process with this number is still this postmaster. After a restart of the machine
   * or container the number may belong to any process; the postmaster has its directory on its
   * command line.
   */
  boolean isAlive() {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)
        && commandLine().map(line -> line.contains(dataDirectory)).orElse(true);
  }

  /**
   * True if the server was started on these files. After a copy or move of the directory the file
   * names the directory where the server was started.
   */
  boolean isOn(Path cluster) throws IOException {
    try {
      return Files.isSameFile(Path.of(dataDirectory), cluster);
    } catch (NoSuchFileException moved) {
      return false;
    }
  }

  /** Returns the command line of the process; empty if the system does not show it. */
  Optional<String> commandLine() {
    return ProcessHandle.of(pid).flatMap(handle -> handle.info().commandLine());
  }
}
