package dev.tollgate.core.pipeline;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.id.OrgId;

/** Port to what knows how loaded this node is. Asked on the loops: it must cost next to nothing. */
public interface LoadShedder {
  /** Serves everything. */
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

  /** On a request's head alone, before anything is spent on it. */
  Verdict judge(Endpoint endpoint);

  /** Once the caller is proven: counts the request in, unless others have a better right to it. */
  Entry enter(Endpoint endpoint, OrgId org);

  /** Whether a request may go on to the check of its key. */
  sealed interface Verdict {
    record Serve() implements Verdict {}

    Verdict SERVE = new Serve();
  }

  /** Whether a request is let in. */
  sealed interface Entry {}

  /** Let in, and counted until its permit is ended. */
  record Admitted(Permit permit) implements Entry {}

  /** Answered with 503 at once. */
  record Shed(int retryAfterSeconds) implements Verdict, Entry {}

  /** A request's place on this node; ended exactly once, on the loop that got it. */
  @FunctionalInterface
  interface Permit {
    void end();
  }
}
