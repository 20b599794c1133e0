package dev.tollgate.core.exchange;

import dev.tollgate.core.fault.Fault;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request about a media job. What comes first ends it, once: an answer, its time, the client's
 * leaving or the node's stop; what the store does meanwhile it does all the same. Loop-confined.
 */
abstract class JobTask implements RequestService.Running {
  private static final Logger LOG = LoggerFactory.getLogger(JobTask.class);

  final ExchangeContext context;
  final ExchangeRequest request;
  final Downstream downstream;
  final ShortReply reply;
  private @Nullable ScheduledFuture<?> patience;
  private Stage stage = Stage.ASKED;

  private enum Stage {
    ASKED,
    ENDING,
    ENDED
  }

  JobTask(ExchangeContext context, ExchangeRequest request, Downstream downstream) {
    this.context = context;
    this.request = request;
    this.downstream = downstream;
    this.reply = new ShortReply(context.observer(), request, downstream);
  }

  /** Begins to answer; the reply goes to the downstream. */
  final void begin() {
    guarded(this::work);
  }

  abstract void work();

  /** Gives back what is held; called once, ahead of the reply. */
  abstract void letGo();

  final boolean isOver() {
    return stage != Stage.ASKED;
  }

  /** Gives up after a while. */
  final void waitAtMost(Duration time) {
    patience =
        downstream
            .loop()
            .schedule(
                () -> guarded(() -> unavailable("no answer in time")),
                time.toNanos(),
                TimeUnit.NANOSECONDS);
  }

  /** Ends it, unless it has ended. */
  final void end(Runnable last) {
    if (stage == Stage.ASKED) {
      finish(last);
    }
  }

  final void refuse(Fault fault, Ending ending) {
    end(() -> reply.refuse(fault, ending));
  }

  final void unavailable(String reason) {
    LOG.debug("request {} was not answered: {}", request.id(), reason);
    refuse(Fault.tryLater("Jobs cannot be reached at present."), Ending.DEPENDENCY_DOWN);
  }

  private void finish(Runnable last) {
    assert downstream.loop().inEventLoop();
    stage = Stage.ENDING;
    if (patience != null) {
      patience.cancel(false);
    }
    letGo();
    request.body().end();
    last.run();
    stage = Stage.ENDED;
  }

  @Override
  public final void clientLeft(RequestService.ClientExit exit) {
    end(() -> reply.unheard(exit));
  }

  @Override
  public final void writabilityChanged() {}

  @Override
  public final void cutShort(Fault fault) {
    refuse(fault, Ending.DRAINED);
  }

  final void guarded(Runnable step) {
    Guarded.run(step, this::surprised);
  }

  /** A fault of ours: told once to the log, and to the client where it still waits. */
  private void surprised(RuntimeException surprise) {
    LOG.error("request {} failed", request.id(), surprise);
    switch (stage) {
      case ASKED -> refuse(Exchange.SURPRISE, Ending.INTERNAL_ERROR);
      case ENDING -> {
        stage = Stage.ENDED;
        reply.refuse(Exchange.SURPRISE, Ending.INTERNAL_ERROR);
      }
      case ENDED -> {}
    }
  }
}
