package dev.tollgate.core.pipeline;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.exchange.frame.Body;
import dev.tollgate.core.http.RequestHead;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.tenant.ApiKey;
import org.jspecify.annotations.Nullable;

/**
 * Progress of one request through the client pipeline, from its received head to its complete body.
 * Each handler that passes the request on wraps it into the next record, so a handler receives only
 * requests that have what it needs.
 */
sealed interface RequestProgress {
  /** Returns the first step, which every later one contains. */
  Received received();

  /**
   * A request with its id.
   *
   * @param clientRequestId the client's own X-Request-Id, if it may be echoed
   * @param atNanos time at which the head was complete, on the loop's ticker
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

  /** A request for an endpoint that exists. */
  record Routed(Received received, Endpoint.Match match) implements RequestProgress {}

  /**
   * A request that another service than the API answers.
   *
   * @param route its name in the record
   */
  record Named(Received received, String route) implements RequestProgress {}

  /** A request of a load balancer for the health path, which is in no record. */
  record Probe(Received received) implements RequestProgress {}

  /** A request with a valid key. */
  record Authenticated(Routed routed, ApiKey key) implements RequestProgress {
    @Override
    public Received received() {
      return routed.received();
    }
  }

  /** A request with a signed URL instead of a key, and without a body. */
  record Permitted(Routed routed, BlobName name) {}

  /**
   * A request with its complete body. It is not stored as the progress of its connection: that
   * would keep the body until the reply's end, long after its bytes were returned to the budget.
   */
  record Collected(Authenticated authenticated, Body body) {
    Received received() {
      return authenticated.received();
    }
  }
}
