package dev.tollgate.core.exchange;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.api.BrokenStream;
import dev.tollgate.core.exchange.frame.ClientReply;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.FaultMapper;
import dev.tollgate.core.exchange.frame.ReplyFields;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.RequestTask;
import dev.tollgate.core.exchange.frame.Timeline;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.idempotency.StoredReply;
import dev.tollgate.core.routing.NoProviderRefusal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Request task for a request with an idempotency key that no provider can serve: replays the key's
 * stored reply, or refuses if there is none. Ended once, by the answer of the store, a disconnect
 * or the node's stop. Loop-confined.
 */
final class UnroutableRequest implements RequestTask, IdempotencyGuard.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(UnroutableRequest.class);

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final RequestLoop loop;
  private final NoProviderRefusal refusal;
  private final RequestRecord.Served served;
  private final Timeline timeline;
  private final ClientReply reply;
  private final IdempotencyGuard idempotency;
  private Stage stage = Stage.CLAIMING;
  private @Nullable DisconnectReason disconnectReason;

  private enum Stage {
    CLAIMING,
    ENDING,
    ENDED
  }

  /**
   * @param refusal why no provider can serve it
   * @param served the record's part about routing
   */
  UnroutableRequest(
      ExchangeContext context,
      ExchangeRequest request,
      Downstream downstream,
      NoProviderRefusal refusal,
      RequestRecord.Served served) {
    this.context = context;
    this.request = request;
    this.loop = new RequestLoop(downstream.loop(), this::failedUnexpectedly);
    this.refusal = refusal;
    this.served = served;
    this.timeline = new Timeline(request.admittedNanos(), request.body().uploadNanos());
    this.reply = new ClientReply(downstream, timeline, context.options(), () -> {});
    this.idempotency = new IdempotencyGuard(context, request, loop);
  }

  @Override
  public void begin() {
    loop.run(() -> idempotency.begin(this));
  }

  /** Refuses the request; without a final reply the key becomes free again. */
  @Override
  public void claimed() {
    end(() -> sendFault(refusal.fault(), FaultMapper.toOutcome(refusal), ReplyFields.of(refusal)));
  }

  @Override
  public void replayed(StoredReply stored) {
    end(
        () -> {
          FinalReply replay = ReplyComposer.replay(stored, timeline, loop.now());
          replay.send(reply);
          record(RequestOutcome.REPLAYED, null, stored.status());
        });
  }

  @Override
  public void refused(Fault fault, RequestOutcome outcome) {
    end(() -> sendFault(fault, outcome, List.of()));
  }

  @Override
  public void clientDisconnected(DisconnectReason reason) {
    disconnectReason = reason;
    end(this::recordDisconnect);
  }

  @Override
  public void writabilityChanged() {}

  @Override
  public void cutShort(Fault fault) {
    end(() -> sendFault(fault, RequestOutcome.DRAINED, List.of()));
  }

  // The one end

  private void end(Runnable last) {
    loop.check();
    if (stage == Stage.CLAIMING) {
      stage = Stage.ENDING;
      request.body().end();
      Runnable then = () -> finish(last);
      idempotency.end(new FinalReply.None(), false, () -> disconnectReason == null, then, then);
    }
  }

  private void finish(Runnable last) {
    last.run();
    stage = Stage.ENDED;
  }

  private void sendFault(Fault fault, RequestOutcome outcome, List<FieldLines> fields) {
    if (disconnectReason != null) {
      recordDisconnect();
      return;
    }
    reply.refuse(null, BrokenStream.unopened(fault), fields);
    record(outcome, fault, fault.code().status());
  }

  private void recordDisconnect() {
    record(RequestOutcome.of(requireNonNull(disconnectReason)), null, 0);
  }

  private void record(RequestOutcome outcome, @Nullable Fault fault, int status) {
    context
        .sinks()
        .observer()
        .ended(request.record(outcome, fault, status, served, reply.bytesSent(), loop.now()));
  }

  /** Ends the request because of an exception: logged once, and a fault for the client. */
  private void failedUnexpectedly(RuntimeException unexpected) {
    LOG.error("request {} failed", request.id(), unexpected);
    if (stage != Stage.ENDED) {
      stage = Stage.ENDED;
      idempotency.abandon();
      request.body().end();
      sendFault(FaultMapper.UNEXPECTED_FAILURE, RequestOutcome.INTERNAL_ERROR, List.of());
    }
  }
}
