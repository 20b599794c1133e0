package dev.tollgate.core.pipeline;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.id.OrgId;
import java.util.concurrent.atomic.AtomicInteger;

/** A load that a test sets, and the count of the requests that were let in. */
final class ScriptedLoad implements LoadShedder {
  final AtomicInteger running = new AtomicInteger();
  volatile Verdict verdict = Verdict.SERVE;
  volatile int shedEnteringSeconds;

  @Override
  public Verdict judge(Endpoint endpoint) {
    return verdict;
  }

  @Override
  public Entry enter(Endpoint endpoint, OrgId org) {
    if (shedEnteringSeconds > 0) {
      return new Shed(shedEnteringSeconds);
    }
    running.incrementAndGet();
    return new Admitted(running::decrementAndGet);
  }
}
