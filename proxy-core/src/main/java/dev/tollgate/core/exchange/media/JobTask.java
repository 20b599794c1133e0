package dev.tollgate.core.exchange.media;

import dev.tollgate.core.exchange.frame.BodyWork;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.FaultMapper;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService;
import dev.tollgate.core.exchange.frame.RequestTask;
import dev.tollgate.core.exchange.frame.ShortReply;
import dev.tollgate.core.fault.Fault;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Base class of request tasks about media jobs. A task ends exactly once: with an answer, its
 * timeout, a disconnect or the node's stop. An operation of the store that has begun is completed
 * in any case. Loop-confined.
 */
public abstract class JobTask implements RequestTask {
  private static final Logger LOG = LoggerFactory.getLogger(JobTask.class);

  final ExchangeContext context;
  final ExchangeRequest request;
  final Downstream downstream;
  final RequestLoop loop;
  final BodyWork bodies;
  final ShortReply reply;
  private @Nullable ScheduledFuture<?> timeout;
  private Stage stage = Stage.PENDING;

  private enum Stage {
    PENDING,
    ENDING,
    ENDED
  }

  JobTask(ExchangeContext context, ExchangeRequest request, Downstream downstream) {
    this.context = context;
    this.request = request;
    this.downstream = downstream;
    this.loop = new RequestLoop(downstream.loop(), this::failedUnexpectedly);
    this.bodies = new BodyWork(context.bodies(), request.body(), loop);
    this.reply = new ShortReply(context.sinks().observer(), request, downstream);
  }

  @Override
  public final void begin() {
    loop.run(this::work);
  }

  abstract void work();

  /** Ends what the task holds; called once, ahead of the reply. */
  abstract void release();

  final boolean isEnded() {
    return stage != Stage.PENDING;
  }

  /**
   * Runs work over the request's body, on another thread if it is large; a result that comes after
   * the end is dropped.
   */
  final <T> void overBody(Supplier<T> work, Consumer<T> then) {
    bodies.run(
        work,
        made -> {
          if (!isEnded()) {
            then.accept(made);
          }
        },
        () -> refuse(BodyWork.BUSY, RequestOutcome.SHED));
  }

  /** Starts the timeout of the task. */
  final void startTimeout(Duration time) {
    timeout = loop.schedule(() -> unavailable("no answer in time"), time);
  }

  /** Ends the task, unless it has ended. */
  final void end(Runnable last) {
    loop.check();
    if (stage == Stage.PENDING) {
      finish(last);
    }
  }

  final void refuse(Fault fault, RequestOutcome outcome) {
    end(() -> reply.refuse(fault, outcome));
  }

  final void unavailable(String reason) {
    LOG.debug("request {} was not answered: {}", request.id(), reason);
    refuse(Fault.tryLater("Jobs cannot be reached at present."), RequestOutcome.DEPENDENCY_DOWN);
  }

  private void finish(Runnable last) {
    stage = Stage.ENDING;
    if (timeout != null) {
      timeout.cancel(false);
    }
    release();
    request.body().end();
    last.run();
    stage = Stage.ENDED;
  }

  @Override
  public final void clientDisconnected(RequestService.DisconnectReason reason) {
    end(() -> reply.clientDisconnected(reason));
  }

  @Override
  public final void writabilityChanged() {}

  @Override
  public final void cutShort(Fault fault) {
    refuse(fault, RequestOutcome.DRAINED);
  }

  /** Ends the task because of an exception: logged once, and a fault for the client. */
  private void failedUnexpectedly(RuntimeException unexpected) {
    LOG.error("request {} failed", request.id(), unexpected);
    switch (stage) {
      case PENDING -> refuse(FaultMapper.UNEXPECTED_FAILURE, RequestOutcome.INTERNAL_ERROR);
      case ENDING -> {
        stage = Stage.ENDED;
        reply.refuse(FaultMapper.UNEXPECTED_FAILURE, RequestOutcome.INTERNAL_ERROR);
      }
      case ENDED -> {}
    }
  }
}
