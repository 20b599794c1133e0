package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.fault.Fault;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Port of the client pipeline to the service that answers authenticated requests. */
public interface RequestService {
  /**
   * Begins to answer {@code request}; the reply goes to {@code downstream}, now or later, on its
   * loop. The service ends the request's body in any case.
   */
  Running start(ExchangeRequest request, Downstream downstream);

  /** Returns a stage that completes when no request continues without a client. */
  default CompletionStage<Void> detachedRequests() {
    return CompletableFuture.completedStage(null);
  }

  /** A request that is being answered, notified of events on the client's side. Loop-confined. */
  interface Running {
    /** The client disconnected: nothing more can be sent. */
    void clientDisconnected(DisconnectReason exit);

    /** {@link Downstream#isWritable()} changed. */
    void writabilityChanged();

    /** The node stops: end with this fault, in-stream if the stream is open. */
    void cutShort(Fault fault);
  }

  /** Cause of a disconnect. */
  enum DisconnectReason {
    /** FIN, half-close or RST. */
    ABORTED,
    /** The client read nothing for {@code write_stall}. */
    STALLED,
    /** The client read too slowly while the node ran out of memory for unsent replies. */
    SHED
  }
}
