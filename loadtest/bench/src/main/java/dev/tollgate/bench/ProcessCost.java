package dev.tollgate.bench;

import java.io.IOException;
import java.util.Map;

/** What a process used while it was loaded: summed up over rounds, without what lies between. */
final class ProcessCost {
  private final long pid;
  private final ProcessFiles files;
  private Map<String, Long> before = Map.of();
  private long cpuNanos;
  private long residentBytesMax;
  private String unavailable = "";

  /** The sum, or why there is none. */
  public sealed interface Result {
    /**
     * CPU time of all threads, and the most memory seen at a round's end.
     *
     * @param requests asked of the process meanwhile
     * @param events of streams that were received from it meanwhile
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
      unavailable = "only Linux tells it, under /proc/" + pid + ": " + e;
    }
  }

  void end() {
    try {
      files.cpuNanosByThread().forEach(this::add);
      residentBytesMax = Math.max(residentBytesMax, files.residentBytes());
    } catch (IOException | NumberFormatException e) {
      unavailable = "only Linux tells it, under /proc/" + pid + ": " + e;
    }
  }

  /** A thread that began meanwhile counts whole; of one that ended, the rest is not known. */
  private void add(String thread, long nanos) {
    cpuNanos += Math.max(0, nanos - before.getOrDefault(thread, 0L));
  }

  Result result(long requests, long events) {
    return unavailable.isEmpty()
        ? new Result.Measured(pid, cpuNanos, residentBytesMax, requests, events)
        : new Result.Unavailable(pid, unavailable);
  }
}
