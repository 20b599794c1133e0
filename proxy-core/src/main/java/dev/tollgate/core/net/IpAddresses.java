package dev.tollgate.core.net;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** Conversions of text and bytes to IP addresses, which never call a resolver. */
public final class IpAddresses {
  private IpAddresses() {}

  /** Returns the address; null if the text is not an address. */
  public static @Nullable InetAddress parse(String text) {
    if (text.indexOf('%') >= 0) {
      return null; // a zone means something on one machine only
    }
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(text);
    return bytes == null ? null : of(bytes);
  }

  /** Returns the address of 4 or 16 bytes; IPv4 inside IPv6 becomes IPv4. */
  public static InetAddress of(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new AssertionError("4 or 16 bytes are always an address", e);
    }
  }
}
