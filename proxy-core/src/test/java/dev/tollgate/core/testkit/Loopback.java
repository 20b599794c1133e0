package dev.tollgate.core.testkit;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The only address that tests bind and connect to: 127.0.0.1, without a resolver. */
final class Loopback {
  static final InetAddress ADDRESS = address();

  private Loopback() {}

  private static InetAddress address() {
    try {
      return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    } catch (UnknownHostException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
