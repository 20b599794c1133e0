package dev.tollgate.core.exchange;

import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.FaultMapper;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService;
import dev.tollgate.core.exchange.frame.RequestTask;
import dev.tollgate.core.exchange.frame.ShortReply;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.ledger.AccountBalance;
import dev.tollgate.core.ledger.AccountBalances;
import dev.tollgate.core.ledger.Window;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Request task that queries the caller's own balances in the ledger store and answers with them. It
 * ends exactly once: with the store's answer, after two seconds, at a disconnect or at the node's
 * stop. Loop-confined.
 */
final class AccountQuery implements RequestTask {
  private static final Logger LOG = LoggerFactory.getLogger(AccountQuery.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final Fault UNAVAILABLE =
      Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "The account balance cannot be read at present.");

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final RequestLoop loop;
  private final AnswerWriter writer;
  private final ShortReply reply;
  private @Nullable ScheduledFuture<?> timeout;
  private Stage stage = Stage.PENDING;

  /** Writer of the JSON response for the queried balances. */
  interface AnswerWriter {
    /**
     * Writes the response.
     *
     * @param to called once, on the loop, perhaps later
     */
    void write(AccountBalance balance, Consumer<JsonBytes> to);
  }

  private enum Stage {
    PENDING,
    ENDING,
    ENDED
  }

  AccountQuery(
      ExchangeContext context,
      ExchangeRequest request,
      Downstream downstream,
      AnswerWriter writer) {
    this.context = context;
    this.request = request;
    this.loop = new RequestLoop(downstream.loop(), this::failedUnexpectedly);
    this.writer = writer;
    this.reply = new ShortReply(context.sinks().observer(), request, downstream);
  }

  @Override
  public void begin() {
    loop.check();
    request.body().end();
    loop.run(this::query);
  }

  private void query() {
    timeout = loop.schedule(() -> refuse("no answer in time"), TIMEOUT);
    Window window = Window.at(request.id().epochMillis());
    context.balances().query(request.key(), window, loop.eventLoop(), loop.guarded(this::answered));
  }

  private void answered(AccountBalances.BalanceResult answer) {
    switch (answer) {
      case AccountBalances.BalanceResult.Known known ->
          writer.write(known.balance(), loop.guarded(json -> end(() -> reply.answer(json))));
      case AccountBalances.BalanceResult.Unavailable unavailable -> refuse(unavailable.reason());
    }
  }

  private void refuse(String reason) {
    end(
        () -> {
          LOG.debug("request {} was not answered: {}", request.id(), reason);
          reply.refuse(UNAVAILABLE, RequestOutcome.DEPENDENCY_DOWN);
        });
  }

  @Override
  public void clientDisconnected(RequestService.DisconnectReason reason) {
    end(() -> reply.clientDisconnected(reason));
  }

  @Override
  public void writabilityChanged() {}

  @Override
  public void cutShort(Fault fault) {
    end(() -> reply.refuse(fault, RequestOutcome.DRAINED));
  }

  private void end(Runnable last) {
    loop.check();
    if (stage == Stage.PENDING) {
      finish(last);
    }
  }

  private void finish(Runnable last) {
    stage = Stage.ENDING;
    if (timeout != null) {
      timeout.cancel(false);
    }
    last.run();
    stage = Stage.ENDED;
  }

  /** Ends the query because of an exception: logged once, and a fault for the client. */
  private void failedUnexpectedly(RuntimeException unexpected) {
    LOG.error("request {} failed", request.id(), unexpected);
    if (stage != Stage.ENDED) {
      finish(() -> reply.refuse(FaultMapper.UNEXPECTED_FAILURE, RequestOutcome.INTERNAL_ERROR));
    }
  }
}
