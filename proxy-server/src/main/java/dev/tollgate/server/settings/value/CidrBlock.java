package dev.tollgate.server.settings.value;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * CIDR block of IPv4 or IPv6 addresses such as {@code 10.0.0.0/8}; a single address is a block of
 * one.
 */
public final class CidrBlock {
  private final byte[] network;
  private final int prefixBits;

  private CidrBlock(byte[] network, int prefixBits) {
    this.network = network;
    this.prefixBits = prefixBits;
  }

  /** Returns the block; names are refused, and bits beyond the prefix are cleared. */
  public static Optional<CidrBlock> parse(String text) {
    int slash = text.indexOf('/');
    byte @Nullable [] address =
        NetUtil.createByteArrayFromIpAddressString(slash < 0 ? text : text.substring(0, slash));
    if (address == null || text.indexOf('[') >= 0 || text.indexOf('%') >= 0) {
      return Optional.empty();
    }
    int bits = address.length * 8;
    if (slash >= 0) {
      String suffix = text.substring(slash + 1);
      if (!suffix.matches("\\d{1,3}") || Integer.parseInt(suffix) > bits) {
        return Optional.empty();
      }
      bits = Integer.parseInt(suffix);
    }
    return Optional.of(new CidrBlock(masked(address, bits), bits));
  }

  public boolean contains(InetAddress address) {
    byte[] bytes = address.getAddress();
    return bytes.length == network.length && Arrays.equals(masked(bytes, prefixBits), network);
  }

  /** True if the block contains every address of its family. */
  public boolean isEverything() {
    return prefixBits == 0;
  }

  private static byte[] masked(byte[] address, int prefixBits) {
    byte[] masked = address.clone();
    for (int i = 0; i < masked.length; i++) {
      int kept = Math.clamp(prefixBits - 8L * i, 0, 8);
      masked[i] &= (byte) (0xff << (8 - kept));
    }
    return masked;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CidrBlock block
        && prefixBits == block.prefixBits
        && Arrays.equals(network, block.network);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(network) + prefixBits;
  }

  @Override
  public String toString() {
    return NetUtil.bytesToIpAddress(network) + "/" + prefixBits;
  }
}
