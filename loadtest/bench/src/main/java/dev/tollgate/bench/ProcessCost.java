package dev.tollgate.bench;

import java.io.IOException;
import java.util.Map;

/**
 * Measures CPU time and memory of the server process under load, summed over rounds, without the
 * time between them.
 */
final class ProcessCost {
  private final long pid;
  private final ProcessFiles files;
  private Map<String, Long> before = Map.of();
  private long cpuNanos;
  private long residentBytesMax;
  private String unavailable = "";

  /** Measured cost, or the reason why it is unavailable. */
  public sealed interface Result {
    /**
     * CPU time of all threads, and the maximum memory at a round's end.
     *
     * @param requests requests sent to the process meanwhile
     * @param events stream events received from the process meanwhile
     */
    record Measured(long pid, long cpuNanos, long residentBytesMax, long requests, long events)
        implements Result {
      double cpuMicrosPerRequest() {
        return requests == 0 ? 0 : cpuNanos / 1e3 / requests;
      }

      double cpuMicrosPerEvent() {
        return events == 0 ? 0 : cpuNanos / 1e3 / events;
      }
    }

    record Unavailable(long pid, String why) implements Result {}
  }

  ProcessCost(long pid, ProcessFiles files) {
    this.pid = pid;
    this.files = files;
  }

  void begin() {
    try {
      before = files.cpuNanosByThread();
    } catch (IOException | NumberFormatException e) {
      unavailable = "cannot read /proc/" + pid + " (Linux only): " + e;
    }
  }

  void end() {
    try {
      files.cpuNanosByThread().forEach(this::add);
      residentBytesMax = Math.max(residentBytesMax, files.residentBytes());
    } catch (IOException | NumberFormatException e) {
      unavailable = "cannot read /proc/" + pid + " (Linux only): " + e;
    }
  }

  /**
   * Adds the time of a thread. A thread that began meanwhile counts fully; the last time of one
   * that ended is unknown.
   */
  private void add(String thread, long nanos) {
    cpuNanos += Math.max(0, nanos - before.getOrDefault(thread, 0L));
  }

  Result result(long requests, long events) {
    return unavailable.isEmpty()
        ? new Result.Measured(pid, cpuNanos, residentBytesMax, requests, events)
        : new Result.Unavailable(pid, unavailable);
  }
}
