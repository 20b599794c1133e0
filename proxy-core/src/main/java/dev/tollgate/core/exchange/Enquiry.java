package dev.tollgate.core.exchange;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.ledger.Standing;
import dev.tollgate.core.ledger.Standings;
import dev.tollgate.core.ledger.Window;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A question about the caller's own money: the books are asked, and what comes first ends it, once:
 * their answer, two seconds, the client's leaving or the node's stop. Loop-confined.
 */
final class Enquiry implements RequestService.Running {
  private static final Logger LOG = LoggerFactory.getLogger(Enquiry.class);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(2);
  private static final Fault UNAVAILABLE =
      Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "The books cannot be asked at present.");

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final Downstream downstream;
  private final Form form;
  private final ShortReply reply;
  private @Nullable ScheduledFuture<?> patience;
  private Stage stage = Stage.ASKED;

  /** What is answered of a standing. */
  interface Form {
    /**
     * Writes it.
     *
     * @param to called once, on the loop; it may come late
     */
    void write(Standing standing, Consumer<JsonBytes> to);
  }

  private enum Stage {
    ASKED,
    ENDING,
    ENDED
  }

  Enquiry(ExchangeContext context, ExchangeRequest request, Downstream downstream, Form form) {
    this.context = context;
    this.request = request;
    this.downstream = downstream;
    this.form = form;
    this.reply = new ShortReply(context.observer(), request, downstream);
  }

  /** Asks; the reply goes to the downstream. */
  void begin() {
    request.body().end();
    guarded(this::ask);
  }

  private void ask() {
    patience =
        downstream
            .loop()
            .schedule(
                () -> guarded(() -> refuse("no answer in time")),
                ANSWER_MAX.toNanos(),
                TimeUnit.NANOSECONDS);
    Window window = Window.at(request.id().epochMillis());
    context
        .standings()
        .ask(request.key(), window, downstream.loop(), answer -> guarded(() -> answered(answer)));
  }

  private void answered(Standings.Answer answer) {
    switch (answer) {
      case Standings.Answer.Known known ->
          form.write(known.standing(), json -> guarded(() -> end(() -> reply.answer(json))));
      case Standings.Answer.Unavailable unavailable -> refuse(unavailable.reason());
    }
  }

  private void refuse(String reason) {
    end(
        () -> {
          LOG.debug("request {} was not answered: {}", request.id(), reason);
          reply.refuse(UNAVAILABLE, Ending.DEPENDENCY_DOWN);
        });
  }

  @Override
  public void clientLeft(RequestService.ClientExit exit) {
    end(() -> reply.unheard(exit));
  }

  @Override
  public void writabilityChanged() {}

  @Override
  public void cutShort(Fault fault) {
    end(() -> reply.refuse(fault, Ending.DRAINED));
  }

  private void end(Runnable last) {
    if (stage == Stage.ASKED) {
      finish(last);
    }
  }

  private void finish(Runnable last) {
    assert downstream.loop().inEventLoop();
    stage = Stage.ENDING;
    if (patience != null) {
      patience.cancel(false);
    }
    last.run();
    stage = Stage.ENDED;
  }

  private void guarded(Runnable step) {
    Guarded.run(step, this::surprised);
  }

  /** A fault of ours: told once to the log, and to the client where it still waits. */
  private void surprised(RuntimeException surprise) {
    LOG.error("request {} failed", request.id(), surprise);
    if (stage != Stage.ENDED) {
      finish(() -> reply.refuse(Exchange.SURPRISE, Ending.INTERNAL_ERROR));
    }
  }
}
