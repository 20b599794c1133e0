package dev.tollgate.core.exchange;

import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.RequestTask;
import dev.tollgate.core.exchange.frame.ShortReply;
import dev.tollgate.core.fault.Fault;
import java.util.function.Consumer;

/** Request task that answers at once and without a provider: from the catalog or with a refusal. */
record ImmediateReply(ExchangeRequest request, ShortReply reply, Consumer<ShortReply> answer)
    implements RequestTask {
  /** The body is ended first, because the answer may throw. */
  @Override
  public void begin() {
    request.body().end();
    answer.accept(reply);
  }

  @Override
  public void clientDisconnected(DisconnectReason reason) {}

  @Override
  public void writabilityChanged() {}

  @Override
  public void cutShort(Fault fault) {}
}
