package dev.tollgate.core.upstream;

/** Step that connecting has reached: the fault if it goes no further in time. Loop-confined. */
public final class ConnectProgress {
  private ConnectFault reached = ConnectFault.CONNECT;

  void reached(ConnectFault step) {
    reached = step;
  }

  ConnectFault fault() {
    return reached;
  }
}
