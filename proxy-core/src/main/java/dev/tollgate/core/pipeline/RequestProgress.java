package dev.tollgate.core.pipeline;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.exchange.frame.Body;
import dev.tollgate.core.http.RequestHead;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.tenant.ApiKey;
import org.jspecify.annotations.Nullable;

/**
 * How far one request has come down the pipeline. Each handler that lets it pass wraps what it was
 * given into the next record, so a handler can only be reached with what it needs.
 */
sealed interface RequestProgress {
  /** The first step, which every later one holds. */
  Received received();

  /**
   * A request with its name.
   *
   * @param clientRequestId the client's own X-Request-Id, if it is fit to be echoed
   * @param atNanos when the head had arrived, on the loop's ticker
   */
  record Received(
      RequestId id,
      @Nullable String clientRequestId,
      RequestHead head,
      ClientAddress client,
      long atNanos)
      implements RequestProgress {
    @Override
    public Received received() {
      return this;
    }
  }

  /** A request for something that exists. */
  record Routed(Received received, Endpoint.Match match) implements RequestProgress {}

  /** A request whose caller is proven and may call. */
  record Authenticated(Routed routed, ApiKey key) implements RequestProgress {
    @Override
    public Received received() {
      return routed.received();
    }
  }

  /** A request that shows a signed URL in place of a key, and has no body. */
  record Permitted(Routed routed, BlobName name) {}

  /**
   * A request with its whole body. No progress of its connection: that would keep the body until
   * the reply's end, long after its bytes were given back to the budget.
   */
  record Collected(Authenticated authenticated, Body body) {
    Received received() {
      return authenticated.received();
    }
  }
}
