package dev.tollgate.core.exchange;

import dev.tollgate.core.endpoint.InferenceCall;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.ledger.Ledger;
import dev.tollgate.core.money.MicroUsd;
import io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;

/**
 * The way into the providers: the worst case is set aside, then the limits are asked, then the
 * images that the request names by URL are fetched. What is answered after the request's end goes
 * back at once. Loop-confined.
 */
final class Admission implements InputImages.Listener {
  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final InferenceCall call;
  private final MicroUsd most;
  private final InputImages images;
  private final Conclusion conclusion;
  private final Listener listener;
  private final Consumer<Runnable> guarded;

  /** Who wants in; told only while the request has not ended. */
  interface Listener {
    /** The limits are asked next, or images are fetched. */
    void reached(Phase next);

    void admitted();

    void refused(Fault fault, Ending ending);
  }

  /**
   * @param most what the request can cost at most
   * @param guarded runs a step so that a fault of ours does not go unnoticed
   */
  Admission(
      ExchangeContext context,
      ExchangeRequest request,
      InferenceCall call,
      MicroUsd most,
      InputImages images,
      Conclusion conclusion,
      Listener listener,
      Consumer<Runnable> guarded) {
    this.context = context;
    this.request = request;
    this.call = call;
    this.most = most;
    this.images = images;
    this.conclusion = conclusion;
    this.listener = listener;
    this.guarded = guarded;
  }

  void begin(EventExecutor loop) {
    context
        .ledger()
        .reserve(
            request.id(),
            request.key(),
            most,
            loop,
            answer -> guarded.accept(() -> reserved(answer, loop)));
  }

  private void reserved(Ledger.Answer answer, EventExecutor loop) {
    switch (answer) {
      case Ledger.Answer.Reserved reserved -> {
        conclusion.booking().begin(reserved.reservation(), loop.ticker().nanoTime());
        if (conclusion.isOver()) {
          conclusion.booking().abandon();
        } else {
          listener.reached(Phase.LIMITING);
          limit(loop);
        }
      }
      case Ledger.Answer.Refused refused -> {
        if (!conclusion.isOver()) {
          Ending ending =
              switch (refused.cause()) {
                case MONEY -> Ending.REJECTED;
                case BOOKS -> Ending.DEPENDENCY_DOWN;
                case NO_ROOM -> Ending.SHED;
              };
          listener.refused(refused.fault(), ending);
        }
      }
    }
  }

  private void limit(EventExecutor loop) {
    conclusion.allowance().ask(request, call, loop, guarded, this::limited);
  }

  private void limited(Allowance.Verdict verdict) {
    if (conclusion.isOver()) {
      conclusion.allowance().end(0);
      return;
    }
    switch (verdict) {
      case Allowance.Verdict.Granted _ -> {
        conclusion.booking().confirm();
        fetch();
      }
      case Allowance.Verdict.Refused refused -> listener.refused(refused.fault(), refused.ending());
    }
  }

  private void fetch() {
    if (images.isEmpty()) {
      listener.admitted();
    } else {
      listener.reached(Phase.FETCHING);
      images.begin(this);
    }
  }

  @Override
  public void fetched() {
    listener.admitted();
  }

  @Override
  public void refused(Fault fault, Ending ending) {
    listener.refused(fault, ending);
  }
}
