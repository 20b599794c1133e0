package dev.tollgate.core.exchange;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.claim.StoredReply;
import dev.tollgate.core.endpoint.BrokenStream;
import dev.tollgate.core.exchange.RequestService.ClientExit;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.routing.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request with an idempotency key for which nobody may be asked: it is told what came of its key,
 * and refused only where nothing did. Ended once, by whose turn it is, the client's leaving or the
 * node's stop. Loop-confined.
 */
final class Unrouted implements RequestService.Running, Claiming.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Unrouted.class);

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final Downstream downstream;
  private final Refusal refusal;
  private final RequestRecord.Served served;
  private final Timeline timeline;
  private final ClientReply reply;
  private final Claiming claiming;
  private Stage stage = Stage.CLAIMING;
  private @Nullable ClientExit left;

  private enum Stage {
    CLAIMING,
    ENDING,
    ENDED
  }

  /**
   * @param refusal why nobody may be asked
   * @param served the record's part about it
   */
  Unrouted(
      ExchangeContext context,
      ExchangeRequest request,
      Downstream downstream,
      Refusal refusal,
      RequestRecord.Served served) {
    this.context = context;
    this.request = request;
    this.downstream = downstream;
    this.refusal = refusal;
    this.served = served;
    this.timeline = new Timeline(request.admittedNanos(), request.body().uploadNanos());
    this.reply = new ClientReply(downstream, timeline, context.options().pingInterval(), () -> {});
    this.claiming = new Claiming(context, request, () -> false, this::guarded);
  }

  /** Asks whose turn it is; the reply goes to the downstream. */
  void begin() {
    guarded(() -> claiming.begin(downstream.loop(), this));
  }

  /** Nobody hears of it, so that the key is free again. */
  @Override
  public void claimed() {
    end(() -> tell(refusal.fault(), Ending.PROVIDER_UNAVAILABLE, ReplyFields.of(refusal)));
  }

  @Override
  public void replayed(StoredReply stored) {
    end(
        () -> {
          Parting again = Delivery.replay(stored, timeline, now());
          again.send(reply);
          record(Ending.REPLAYED, null, stored.status());
        });
  }

  @Override
  public void refused(Fault fault, Ending ending) {
    end(() -> tell(fault, ending, List.of()));
  }

  @Override
  public void clientLeft(ClientExit exit) {
    left = exit;
    end(this::unheard);
  }

  @Override
  public void writabilityChanged() {}

  @Override
  public void cutShort(Fault fault) {
    end(() -> tell(fault, Ending.DRAINED, List.of()));
  }

  // The one end

  private void end(Runnable last) {
    assert downstream.loop().inEventLoop();
    if (stage == Stage.CLAIMING) {
      stage = Stage.ENDING;
      request.body().end();
      Runnable then = () -> finish(last);
      claiming.end(new Parting.Silence(), () -> left == null, then, then);
    }
  }

  private void finish(Runnable last) {
    last.run();
    stage = Stage.ENDED;
  }

  private void tell(Fault fault, Ending ending, List<FieldLines> fields) {
    if (left != null) {
      unheard();
      return;
    }
    reply.refuse(BrokenStream.unopened(fault), fields);
    record(ending, fault.code(), fault.code().status());
  }

  private void unheard() {
    record(Ending.of(requireNonNull(left)), null, 0);
  }

  private void record(Ending ending, @Nullable ErrorCode code, int status) {
    context
        .observer()
        .ended(request.record(ending, code, status, served, reply.bytesSent(), now()));
  }

  private void guarded(Runnable step) {
    Guarded.run(step, this::surprised);
  }

  /** A fault of ours: told once to the log, and to the client where it still waits. */
  private void surprised(RuntimeException surprise) {
    LOG.error("request {} failed", request.id(), surprise);
    if (stage != Stage.ENDED) {
      stage = Stage.ENDED;
      claiming.abandon();
      request.body().end();
      tell(Exchange.SURPRISE, Ending.INTERNAL_ERROR, List.of());
    }
  }

  private long now() {
    return downstream.loop().ticker().nanoTime();
  }
}
