package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Bytes of a process's reachable objects, by a class histogram that collects garbage and stops the
 * process. A heap gauge read after a collection includes the garbage since, which is megabytes on a
 * busy node.
 */
final class LiveHeap {
  /** Such as {@code 1: 62273 5219320 [B (java.base@25)}: instances, bytes and their class. */
  private static final Pattern ROW = Pattern.compile("(?m)^ *\\d+: +\\d+ +(\\d+) +(\\S+)");

  /** Filler objects of the collector are not counted. */
  private static final String FILLER = "jdk.internal.vm.Filler";

  private LiveHeap() {}

  static long bytesOf(long pid) throws IOException, InterruptedException {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    Process run = new ProcessBuilder(jcmd, "" + pid, "GC.class_histogram").start();
    String census = new String(run.getInputStream().readAllBytes(), UTF_8);
    if (run.waitFor() != 0) {
      throw new AssertionError("jcmd failed: " + census);
    }
    return sum(census);
  }

  private static long sum(String census) {
    long bytes = 0;
    Matcher row = ROW.matcher(census);
    while (row.find()) {
      if (!row.group(2).contains(FILLER)) {
        bytes += Long.parseLong(row.group(1));
      }
    }
    if (bytes == 0) {
      throw new AssertionError("no census: " + census);
    }
    return bytes;
  }
}
