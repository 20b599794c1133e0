package dev.tollgate.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Reads Linux statistics of a process from its files under {@code /proc}. */
final class ProcessFiles {
  private final Path process;

  /**
   * @param proc {@code /proc}, or a test's replacement
   */
  ProcessFiles(Path proc, long pid) {
    this.process = proc.resolve(Long.toString(pid));
  }

  /**
   * Returns the CPU nanoseconds of each thread; the counter of the process as a whole is coarser.
   */
  Map<String, Long> cpuNanosByThread() throws IOException {
    Map<String, Long> nanos = new HashMap<>();
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(process.resolve("task"))) {
      for (Path thread : threads) {
        try {
          String spent = Files.readString(thread.resolve("schedstat"));
          nanos.put(thread.getFileName() + "", Long.parseLong(spent.split(" ", 2)[0]));
        } catch (NoSuchFileException _) {
          // The thread ended between the two reads.
        }
      }
    }
    return nanos;
  }

  /** Returns the resident memory in bytes. */
  long residentBytes() throws IOException {
    for (String line : Files.readAllLines(process.resolve("status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
      }
    }
    throw new IOException("no VmRSS in " + process.resolve("status"));
  }
}
