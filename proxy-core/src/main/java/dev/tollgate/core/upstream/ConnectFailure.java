package dev.tollgate.core.upstream;

import java.net.ConnectException;

/** Thrown into the future of a connection whose fault is known when it occurs. */
final class ConnectFailure extends ConnectException {
  private static final long serialVersionUID = 1;

  private final ConnectFault fault;

  ConnectFailure(ConnectFault fault, String detail) {
    super(detail);
    this.fault = fault;
  }

  ConnectFault fault() {
    return fault;
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this; // a remote peer's answer, which says nothing of this code
  }
}
