package dev.tollgate.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** What Linux tells about a process under {@code /proc}. */
final class ProcessFiles {
  private final Path process;

  /**
   * @param proc {@code /proc}, or what stands for it in a test
   */
  ProcessFiles(Path proc, long pid) {
    this.process = proc.resolve(Long.toString(pid));
  }

  /**
   * CPU nanoseconds of each thread so far; to the nanosecond, where the process's own is coarse.
   */
  Map<String, Long> cpuNanosByThread() throws IOException {
    Map<String, Long> nanos = new HashMap<>();
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(process.resolve("task"))) {
      for (Path thread : threads) {
        try {
          String spent = Files.readString(thread.resolve("schedstat"));
          nanos.put(thread.getFileName() + "", Long.parseLong(spent.split(" ", 2)[0]));
        } catch (NoSuchFileException _) {
          // The thread ended between the two looks.
        }
      }
    }
    return nanos;
  }

  /** Resident memory. */
  long residentBytes() throws IOException {
    for (String line : Files.readAllLines(process.resolve("status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
      }
    }
    throw new IOException("no VmRSS in " + process.resolve("status"));
  }
}
