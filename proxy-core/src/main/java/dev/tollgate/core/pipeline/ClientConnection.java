package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.pipeline.RequestProgress.Received;
import io.netty.util.concurrent.EventExecutor;
import org.jspecify.annotations.Nullable;

/**
 * What one client connection is doing: the request in work, and how far reading it and answering it
 * have come. Shared by the connection's handlers and confined to its loop.
 */
final class ClientConnection {
  /** What the connection is waiting for. */
  enum ConnectionPhase {
    /** The first byte of a request. */
    IDLE,
    /** The rest of a head. */
    HEAD,
    /** The key's look-up, or the rest of a body. */
    BODY,
    /** The reply. */
    WORK,
    /** The rest of a body whose request was answered already. */
    DROPPING,
    /** The client, to take the last reply and close. */
    CLOSING,
    /** Nothing. */
    CLOSED
  }

  private final EventExecutor loop;
  private final PhaseCounts counts;
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

  ClientConnection(EventExecutor loop, PhaseCounts counts) {
    this.loop = loop;
    this.counts = counts;
    counts.enter(phase);
  }

  /** The other end of the socket, or what a trusted balancer's PROXY header said of it. */
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

  /** Bytes of a head have come, but not all. */
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

  /** The node counts the request; the permit is ended with the reply or the connection. */
  void admitted(LoadShedder.Permit granted) {
    assert permit == null;
    permit = granted;
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

  /** The exchange has the request now: it records how it ends. */
  void handOver() {
    handedOver = true;
  }

  /** The exchange could not take it after all. */
  void takeBack() {
    handedOver = false;
  }

  /** What the client sends is ambiguous: the connection ends with the reply. */
  void distrust() {
    distrusted = true;
  }

  boolean isDistrusted() {
    return distrusted;
  }

  /** How the request will be recorded if a handler refuses it. */
  void refuseAs(RequestOutcome outcome) {
    refusalOutcome = outcome;
  }

  /** The reply's last part was written. */
  void answered(ConnectionPhase next, long nowNanos) {
    assert progress != null && !answered;
    answered = true;
    releasePermit();
    transitionTo(next, nowNanos);
  }

  /** Request and reply are through; the next may come. */
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

  /** There will be no next one. */
  void closing(long nowNanos) {
    transitionTo(ConnectionPhase.CLOSING, nowNanos);
  }

  void closed(long nowNanos) {
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

  /** The request in work, or null between requests. */
  @Nullable RequestProgress progress() {
    return progress;
  }

  /** Whether closing now takes nothing from anybody. */
  boolean isBetweenRequests() {
    return progress == null && phase == ConnectionPhase.IDLE;
  }

  /** Whether only a further request is waited for, on a connection that had some. */
  boolean isKeptAlive() {
    return isBetweenRequests() && served;
  }

  /** Whether a request was answered on this connection before. */
  boolean hasServed() {
    return served;
  }

  /** Whether a request is in work that was not answered in full. */
  boolean isAwaitingReply() {
    return progress != null && !answered;
  }

  boolean isAnswered() {
    return answered;
  }

  boolean isHandedOver() {
    return handedOver;
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
