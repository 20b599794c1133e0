package dev.tollgate.core.pipeline;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.id.OrgId;

/**
 * Port to the load shedding, which refuses requests while the node is overloaded. Called on the
 * loops: calls must be cheap.
 */
public interface LoadShedder {
  /** Implementation that admits every request. */
  LoadShedder NEVER =
      new LoadShedder() {
        private static final Entry ADMITTED = new Admitted(() -> {});

        @Override
        public Verdict judge(Endpoint endpoint) {
          return Verdict.SERVE;
        }

        @Override
        public Entry enter(Endpoint endpoint, OrgId org) {
          return ADMITTED;
        }
      };

  /** Judges a request by its head alone, before any work is done for it. */
  Verdict judge(Endpoint endpoint);

  /** Counts an authenticated request in, unless others have priority. */
  Entry enter(Endpoint endpoint, OrgId org);

  /** Decision whether a request's key is checked. */
  sealed interface Verdict {
    record Serve() implements Verdict {}

    Verdict SERVE = new Serve();
  }

  /** Decision whether a request is admitted. */
  sealed interface Entry {}

  /** The request is admitted, and counted until its permit is ended. */
  record Admitted(Permit permit) implements Entry {}

  /** The request is refused with 503 at once. */
  record Shed(int retryAfterSeconds) implements Verdict, Entry {}

  /** Permit of a request on this node; ended exactly once, on the loop that got it. */
  @FunctionalInterface
  interface Permit {
    void end();
  }
}
