package dev.tollgate.core.net;

import java.net.InetAddress;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Set of IP address blocks such as {@code 10.0.0.0/8}, {@code 2001:db8::/32} or a single address.
 * IPv4 inside IPv6 ({@code ::ffff:a.b.c.d}) counts as IPv4 on both sides.
 */
public final class CidrSet {
  public static final CidrSet NONE = new CidrSet(List.of());

  private static final class Block {
    final byte[] network;
    final int prefixBits;

    Block(byte[] network, int prefixBits) {
      this.network = network;
      this.prefixBits = prefixBits;
    }
  }

  private final List<Block> blocks;

  private CidrSet(List<Block> blocks) {
    this.blocks = blocks;
  }

  /**
   * Reads addresses and blocks.
   *
   * @throws IllegalArgumentException for a text that is not a block
   */
  public static CidrSet parse(Collection<String> texts) {
    return texts.isEmpty() ? NONE : new CidrSet(texts.stream().map(CidrSet::block).toList());
  }

  private static Block block(String text) {
    int slash = text.indexOf('/');
    InetAddress address = IpAddresses.parse(slash < 0 ? text : text.substring(0, slash));
    if (address == null) {
      throw new IllegalArgumentException("not an address or CIDR block: " + text);
    }
    byte[] network = address.getAddress();
    int prefixBits = slash < 0 ? network.length * 8 : prefix(text, slash, network.length * 8);
    return new Block(network, prefixBits);
  }

  private static int prefix(String text, int slash, int bitsMax) {
    String digits = text.substring(slash + 1);
    boolean isNumber = digits.length() <= 3 && digits.matches("\\d+");
    int bits = isNumber ? Integer.parseInt(digits) : -1;
    boolean isMapped = text.lastIndexOf(':', slash) >= 0 && bitsMax == 32;
    if (isMapped) {
      bits -= 96;
    }
    if (bits < 0 || bits > bitsMax) {
      throw new IllegalArgumentException("not a prefix length: " + text);
    }
    return bits;
  }

  public boolean isEmpty() {
    return blocks.isEmpty();
  }

  public boolean contains(@Nullable InetAddress address) {
    if (address == null || blocks.isEmpty()) {
      return false;
    }
    byte[] bytes = address.getAddress();
    for (Block block : blocks) {
      if (block.network.length == bytes.length && matchesPrefix(block, bytes)) {
        return true;
      }
    }
    return false;
  }

  private static boolean matchesPrefix(Block block, byte[] bytes) {
    int whole = block.prefixBits / 8;
    for (int i = 0; i < whole; i++) {
      if (block.network[i] != bytes[i]) {
        return false;
      }
    }
    int rest = block.prefixBits % 8;
    return rest == 0 || (block.network[whole] ^ bytes[whole]) >> (8 - rest) == 0;
  }
}
