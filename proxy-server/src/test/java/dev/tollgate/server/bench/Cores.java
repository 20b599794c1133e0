package dev.tollgate.server.bench;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;

/**
 * Which processors a bench's processes run on. With {@code -Dbench.pin=true} the gateway has the
 * first to itself, and providers and clients share the second, as on a machine of their own: what
 * clients see is not how long they wait for a processor that they keep from the gateway.
 */
final class Cores {
  private static final boolean PINNED = Boolean.getBoolean("bench.pin");
  private static final String GATEWAY = "0";
  private static final String OTHERS = "1";

  private Cores() {}

  /** What a gateway's command begins with. */
  static List<String> ofTheGateway() {
    return PINNED ? List.of("taskset", "-c", GATEWAY) : List.of();
  }

  /** What a provider's command begins with. */
  static List<String> ofOthers() {
    return PINNED ? List.of("taskset", "-c", OTHERS) : List.of();
  }

  /** Moves all threads of this process, which makes the load, and those that they will start. */
  static void takeThoseOfOthers() throws IOException, InterruptedException {
    if (!PINNED) {
      return;
    }
    String pid = Long.toString(ProcessHandle.current().pid());
    Process moved =
        new ProcessBuilder("taskset", "-a", "-p", "-c", OTHERS, pid)
            .redirectOutput(Redirect.DISCARD)
            .start();
    if (moved.waitFor() != 0) {
      throw new AssertionError("taskset failed");
    }
  }

  /** How a result names it. */
  static String named() {
    return PINNED ? "gateway on one core, provider and clients on the other" : "all on all cores";
  }
}
