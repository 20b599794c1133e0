package dev.tollgate.core.exchange;

import dev.tollgate.core.exchange.RequestReader.ReadResult;
import dev.tollgate.core.exchange.frame.BodyPorts;
import dev.tollgate.core.exchange.frame.BodyWork;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.FaultMapper;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.RequestTask;
import dev.tollgate.core.exchange.frame.ShortReply;
import dev.tollgate.core.fault.Fault;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Request task whose body is too large to be read on its loop: another thread reads it, then the
 * task decided by the result answers. Until then it ends once, by a refusal, a disconnect or the
 * node's stop. Loop-confined.
 */
final class LargeRequest implements RequestTask {
  private static final Logger LOG = LoggerFactory.getLogger(LargeRequest.class);

  private final RequestReader reader;
  private final ShortReply reply;
  private final Function<ReadResult, RequestTask> decide;
  private final BodyWork work;
  private @Nullable RequestTask answering;
  private boolean ended;

  /**
   * @param decide returns the task that answers a request as it was read
   */
  LargeRequest(
      BodyPorts ports,
      Downstream downstream,
      RequestReader reader,
      ShortReply reply,
      Function<ReadResult, RequestTask> decide) {
    var loop = new RequestLoop(downstream.loop(), this::failedUnexpectedly);
    this.reader = reader;
    this.reply = reply;
    this.decide = decide;
    this.work = new BodyWork(ports, reader.request().body(), loop);
  }

  @Override
  public void begin() {
    work.loop().run(() -> work.offload(reader::read, this::read, this::busy));
  }

  private void read(ReadResult result) {
    if (!ended) {
      RequestTask next = decide.apply(result);
      answering = next;
      next.begin();
    }
  }

  private void busy() {
    end(() -> reply.refuse(BodyWork.BUSY, RequestOutcome.SHED));
  }

  @Override
  public void clientDisconnected(DisconnectReason reason) {
    if (answering == null) {
      end(() -> reply.clientDisconnected(reason));
    } else {
      answering.clientDisconnected(reason);
    }
  }

  @Override
  public void writabilityChanged() {
    if (answering != null) {
      answering.writabilityChanged();
    }
  }

  @Override
  public void cutShort(Fault fault) {
    if (answering == null) {
      end(() -> reply.refuse(fault, RequestOutcome.DRAINED));
    } else {
      answering.cutShort(fault);
    }
  }

  private void end(Runnable last) {
    work.loop().check();
    if (!ended) {
      ended = true;
      reader.request().body().end();
      last.run();
    }
  }

  /** Ends the request because of an exception: logged once, and a fault for the client. */
  private void failedUnexpectedly(RuntimeException unexpected) {
    LOG.error("request {} failed", reader.request().id(), unexpected);
    Runnable last =
        () -> reply.refuse(FaultMapper.UNEXPECTED_FAILURE, RequestOutcome.INTERNAL_ERROR);
    if (answering == null) {
      end(last);
    } else {
      last.run(); // the answer, which ended the body, could not be written
    }
  }
}
