package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.limit.RefusalToken;
import dev.tollgate.core.pipeline.RequestProgress.Probe;
import dev.tollgate.core.pipeline.RequestProgress.Received;
import io.netty.util.concurrent.EventExecutor;
import org.jspecify.annotations.Nullable;

/**
 * State of one client connection: the current request, and the progress of reading it and answering
 * it. Shared by the connection's handlers and confined to its loop.
 */
final class ClientConnection {
  /** Phase of the connection, defined by what it waits for. */
  enum ConnectionPhase {
    /** Waits for the first byte of a request. */
    IDLE,
    /** Waits for the rest of a head. */
    HEAD,
    /** Waits for the key's lookup, or for the rest of a body. */
    BODY,
    /** Waits for the reply. */
    WORK,
    /** Waits for the rest of a body whose request is answered already. */
    DROPPING,
    /** Waits for the client to receive the last reply and close. */
    CLOSING,
    /** Waits for nothing. */
    CLOSED
  }

  private final EventExecutor loop;
  private final PhaseCounts counts;
  private final RefusalToken refusalToken = new RefusalToken();
  private ConnectionPhase phase = ConnectionPhase.IDLE;
  private long phaseSinceNanos;
  private ClientAddress.@Nullable Known peer;
  private @Nullable RequestProgress progress;
  private RequestOutcome refusalOutcome = RequestOutcome.REJECTED;
  private long requestBytes;
  private LoadShedder.@Nullable Permit permit;
  private boolean served;
  private boolean handedOver;
  private boolean answered;
  private boolean continueOwed;
  private boolean distrusted;
  private boolean proved;
  private @Nullable Runnable whenProved;

  ClientConnection(EventExecutor loop, PhaseCounts counts) {
    this.loop = loop;
    this.counts = counts;
    counts.enter(phase);
  }

  /** Sets the address of the socket's peer, or the one from a trusted balancer's PROXY header. */
  void peer(ClientAddress.Known address) {
    peer = address;
  }

  ClientAddress.Known peer() {
    if (peer == null) {
      throw new IllegalStateException("a request before its connection");
    }
    return peer;
  }

  void connected(long nowNanos) {
    phaseSinceNanos = nowNanos;
  }

  /** Enters the phase of a head of which some bytes have arrived. */
  void headBegun(long nowNanos) {
    transitionTo(ConnectionPhase.HEAD, nowNanos);
  }

  void begin(Received received) {
    assert progress == null : "a request inside another";
    progress = received;
    continueOwed = received.head().expectsContinue();
    transitionTo(ConnectionPhase.BODY, received.atNanos());
  }

  void advance(RequestProgress next) {
    assert loop.inEventLoop();
    progress = next;
  }

  /**
   * Stores the permit of a request that was counted in; it is ended with the reply or the
   * connection.
   */
  void admitted(LoadShedder.Permit granted) {
    assert permit == null;
    permit = granted;
  }

  /** Returns the token that the current request holds of its key's refusal bucket. */
  RefusalToken refusalToken() {
    return refusalToken;
  }

  private void releasePermit() {
    LoadShedder.Permit current = permit;
    permit = null;
    if (current != null) {
      current.end();
    }
  }

  void bodyReceived(int bytes) {
    requestBytes += bytes;
  }

  void bodyEnded(long nowNanos) {
    transitionTo(ConnectionPhase.WORK, nowNanos);
  }

  void continueSent() {
    continueOwed = false;
  }

  /** Marks the request as handed over to the exchange, which records its end. */
  void handOver() {
    handedOver = true;
  }

  /** Takes the request back from an exchange that failed to start. */
  void takeBack() {
    handedOver = false;
  }

  /** Marks the client's requests as ambiguous: the connection ends with the reply. */
  void distrust() {
    distrusted = true;
  }

  boolean isDistrusted() {
    return distrusted;
  }

  /** Sets what runs once when the connection is proved. */
  void whenProved(Runnable action) {
    whenProved = action;
  }

  /** Marks the client as one that has a valid key, or is a trusted proxy. */
  void prove() {
    proved = true;
    Runnable once = whenProved;
    if (once != null) {
      whenProved = null;
      once.run();
    }
  }

  /** True if a request on this connection had a valid key, or its peer is a trusted proxy. */
  boolean isProved() {
    return proved;
  }

  /** Sets the outcome that is recorded if a handler refuses the request. */
  void refuseAs(RequestOutcome outcome) {
    refusalOutcome = outcome;
  }

  /** Enters the phase after the reply's last part was written. */
  void answered(ConnectionPhase next, long nowNanos) {
    assert progress != null && !answered;
    answered = true;
    releasePermit();
    transitionTo(next, nowNanos);
  }

  /** Prepares for the next request after this one and its reply are complete. */
  void completed(long nowNanos) {
    progress = null;
    served = true;
    refusalOutcome = RequestOutcome.REJECTED;
    requestBytes = 0;
    handedOver = false;
    answered = false;
    continueOwed = false;
    transitionTo(ConnectionPhase.IDLE, nowNanos);
  }

  /** Enters the phase of a connection that takes no further request. */
  void closing(long nowNanos) {
    transitionTo(ConnectionPhase.CLOSING, nowNanos);
  }

  void closed(long nowNanos) {
    refusalToken.keep();
    releasePermit();
    transitionTo(ConnectionPhase.CLOSED, nowNanos);
    counts.leave(ConnectionPhase.CLOSED);
  }

  private void transitionTo(ConnectionPhase next, long nowNanos) {
    assert loop.inEventLoop();
    counts.leave(phase);
    counts.enter(next);
    phase = next;
    phaseSinceNanos = nowNanos;
  }

  ConnectionPhase phase() {
    return phase;
  }

  long phaseSinceNanos() {
    return phaseSinceNanos;
  }

  /** Returns the current request; null between requests. */
  @Nullable RequestProgress progress() {
    return progress;
  }

  /** True between requests, when closing loses nothing. */
  boolean isBetweenRequests() {
    return progress == null && phase == ConnectionPhase.IDLE;
  }

  /** True between requests on a connection that has served one. */
  boolean isKeptAlive() {
    return isBetweenRequests() && served;
  }

  /** True if a request was answered on this connection. */
  boolean hasServed() {
    return served;
  }

  /** True if the current request is not completely answered. */
  boolean isAwaitingReply() {
    return progress != null && !answered;
  }

  boolean isAnswered() {
    return answered;
  }

  boolean isHandedOver() {
    return handedOver;
  }

  /** True if the current request is recorded by the pipeline, and not by the exchange. */
  boolean isRecordedHere() {
    return !handedOver && progress != null && !(progress instanceof Probe);
  }

  boolean isContinueOwed() {
    return continueOwed;
  }

  RequestOutcome refusalOutcome() {
    return refusalOutcome;
  }

  long requestBytes() {
    return requestBytes;
  }
}
