package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.fault.Fault;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What answers authenticated requests: the seam between the client pipeline and the exchange. */
public interface RequestService {
  /**
   * Begins to answer {@code request}; the reply goes to {@code downstream}, now or later, on its
   * loop. The service ends the request's body, whatever goes wrong.
   */
  Running start(ExchangeRequest request, Downstream downstream);

  /**
   * Completes when nothing is in work whose client is gone and that is carried out all the same.
   */
  default CompletionStage<Void> detachedRequests() {
    return CompletableFuture.completedStage(null);
  }

  /** A request being answered, told of what happens on the client's side. Loop-confined. */
  interface Running {
    /** The client is gone: nothing more can be sent. No reply follows. */
    void clientDisconnected(DisconnectReason exit);

    /** {@link Downstream#isWritable()} changed. */
    void writabilityChanged();

    /** The node stops: end with this fault, in-stream if the stream is open. */
    void cutShort(Fault fault);
  }

  /** How a client left. */
  enum DisconnectReason {
    /** FIN, half-close or RST. */
    ABORTED,
    /** Nothing it should read moved for {@code write_stall}. */
    STALLED,
    /** It took nothing while the node ran out of memory for what waits to be taken. */
    SHED
  }
}
