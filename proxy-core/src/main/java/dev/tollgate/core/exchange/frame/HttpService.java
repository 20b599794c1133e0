package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.exchange.frame.RequestService.Running;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.RequestHead;
import dev.tollgate.core.id.RequestId;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Port of a listener's pipeline to a service of its own that answers HTTP requests, other than the
 * API that {@link RequestService} answers. Called on the listener's loop: it must not block.
 */
public interface HttpService {
  /** Judges a request by its head alone, before any of its body is read. */
  Verdict judge(Request request);

  /** Returns the form in which this service refuses a request. */
  Reply.Refused refusal(Fault fault);

  /**
   * A request without its body.
   *
   * @param client the client's address as it is logged
   */
  record Request(RequestId id, RequestHead head, String client) {}

  /** Judgment of a head. */
  sealed interface Verdict {
    /** Returns the name of the request's route in its record. */
    String route();

    /** The request is refused. */
    record Refused(String route, Fault fault) implements Verdict {}

    /**
     * The request is answered once its body is complete.
     *
     * @param bodyBytesMax size of the largest body in bytes
     */
    record Accepted(String route, int bodyBytesMax, Answer answer) implements Verdict {}
  }

  /** The answer to one request whose head was accepted. */
  interface Answer {
    /**
     * Begins to answer; the reply goes to {@code downstream}, now or later, on its loop.
     *
     * @param body empty if there is none; null if it is larger than the verdict allows
     */
    Running begin(byte @Nullable [] body, Downstream downstream);
  }

  /**
   * What a pipeline in front of a service calls.
   *
   * @param bodies bound of all bodies that are being received or answered
   */
  record ServicePorts(
      HttpService service, InflightBytes bodies, RequestObserver observer, InstantSource clock) {}
}
