package dev.tollgate.core.pipeline;

import dev.tollgate.core.http.BodyLength;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.http.RequestHead;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.pipeline.RequestProgress.Received;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Assigner of request ids, which makes a received head the current request of its connection. */
final class RequestIdAssigner {
  private static final int ECHOED_CHARS_MAX = 128;

  private final ClientConnection connection;
  private final InstantSource clock;
  private final ForwardedFor forwardedFor;

  RequestIdAssigner(ClientConnection connection, InstantSource clock, CidrSet trustedProxies) {
    this.connection = connection;
    this.clock = clock;
    this.forwardedFor = new ForwardedFor(trustedProxies);
  }

  Received receive(RequestHead head, long nowNanos) {
    return receive(head, head.headers(), nowNanos);
  }

  /**
   * @param known the fields that the id and the client's address may be read from
   */
  private Received receive(RequestHead head, Headers known, long nowNanos) {
    Received received =
        new Received(
            RequestId.at(clock.millis()),
            echoed(known.first("x-request-id")),
            head,
            forwardedFor.caller(connection.peer(), known),
            nowNanos);
    connection.begin(received);
    return received;
  }

  /**
   * Begins a request whose head is broken or incomplete.
   *
   * @param read the fields before what is broken: the reply goes to a page of their origin
   */
  Received receiveWithoutHead(Headers read, long nowNanos) {
    var head = new RequestHead("", "", "", 1, read, BodyLength.NONE, false, false);
    return receive(head, Headers.EMPTY, nowNanos);
  }

  private static @Nullable String echoed(@Nullable String clientId) {
    if (clientId == null || clientId.isEmpty() || clientId.length() > ECHOED_CHARS_MAX) {
      return null;
    }
    for (int i = 0; i < clientId.length(); i++) {
      if (clientId.charAt(i) <= ' ' || clientId.charAt(i) >= 0x7f) {
        return null;
      }
    }
    return clientId;
  }
}
