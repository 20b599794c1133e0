package dev.tollgate.core.pipeline;

import dev.tollgate.core.endpoint.Endpoint;

/** Port to what knows how loaded this node is; asked once for each request, on its loop. */
@FunctionalInterface
public interface LoadShedder {
  /** Serves everything. */
  LoadShedder NEVER = _ -> Verdict.SERVE;

  Verdict judge(Endpoint endpoint);

  /** Whether a request is let in. */
  sealed interface Verdict {
    record Serve() implements Verdict {}

    /** Answered with 503 at once. */
    record Shed(int retryAfterSeconds) implements Verdict {}

    Verdict SERVE = new Serve();
  }
}
