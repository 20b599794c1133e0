package dev.tollgate.core.pipeline;

import dev.tollgate.core.net.IpAddresses;
import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.util.zip.CRC32C;

/**
 * Result of parsing a PROXY protocol header, binary version 2, in which a balancer names the source
 * of a connection. Version 1 is not supported.
 */
sealed interface ProxyHeader {
  /** Length of signature, version, family and length, with which every header begins. */
  int FIXED_BYTES = 16;

  /** Longest header that is accepted; more than any balancer sends. */
  int BYTES_MAX = 536;

  /** The header is not complete yet. */
  record Partial() implements ProxyHeader {}

  /** The connection comes from this address. */
  record Proxied(InetAddress source) implements ProxyHeader {}

  /** The connection is the balancer's own, such as a health check. */
  record Local() implements ProxyHeader {}

  /** The header is invalid. */
  record Refused(String reason) implements ProxyHeader {}

  /** Reads a header from {@code in}; consumes nothing unless the header is complete and valid. */
  static ProxyHeader read(ByteBuf in) {
    return new Reader(in).read();
  }

  /** Reader of one header. */
  final class Reader {
    private static final byte[] SIGNATURE = {
      '\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'
    };
    private static final int VERSION_2_LOCAL = 0x20;
    private static final int VERSION_2_PROXY = 0x21;
    private static final int TCP_OVER_IPV4 = 0x11;
    private static final int TCP_OVER_IPV6 = 0x21;
    private static final int TLV_CRC32C = 0x03;
    private static final int TLV_HEAD_BYTES = 3;

    private final ByteBuf in;
    private final int start;

    private Reader(ByteBuf in) {
      this.in = in;
      this.start = in.readerIndex();
    }

    private ProxyHeader read() {
      int known = Math.min(in.readableBytes(), SIGNATURE.length);
      for (int i = 0; i < known; i++) {
        if (in.getByte(start + i) != SIGNATURE[i]) {
          return new Refused("no PROXY header of version 2");
        }
      }
      if (in.readableBytes() < FIXED_BYTES) {
        return new Partial();
      }
      int bytes = FIXED_BYTES + in.getUnsignedShort(start + 14);
      if (bytes > BYTES_MAX) {
        return new Refused("a PROXY header of " + bytes + " bytes");
      }
      return in.readableBytes() < bytes ? new Partial() : complete(bytes);
    }

    private ProxyHeader complete(int bytes) {
      ProxyHeader header =
          switch (in.getUnsignedByte(start + 12)) {
            case VERSION_2_LOCAL -> new Local();
            case VERSION_2_PROXY -> proxied(bytes);
            default -> new Refused("an unknown PROXY version or command");
          };
      if (!(header instanceof Refused)) {
        in.skipBytes(bytes);
      }
      return header;
    }

    private ProxyHeader proxied(int bytes) {
      return switch (in.getUnsignedByte(start + 13)) {
        case TCP_OVER_IPV4 -> addressed(4, bytes);
        case TCP_OVER_IPV6 -> addressed(16, bytes);
        default -> new Refused("an address family that is not TCP over IP");
      };
    }

    private ProxyHeader addressed(int addressBytes, int bytes) {
      int tlvs = FIXED_BYTES + 2 * (addressBytes + Short.BYTES);
      if (tlvs > bytes) {
        return new Refused("a PROXY header too short for its addresses");
      }
      byte[] source = new byte[addressBytes];
      in.getBytes(start + FIXED_BYTES, source);
      return areTlvsValid(tlvs, bytes)
          ? new Proxied(IpAddresses.of(source))
          : new Refused("a PROXY header with broken extensions or a wrong checksum");
    }

    private boolean areTlvsValid(int from, int bytes) {
      int at = from;
      while (at < bytes) {
        if (bytes - at < TLV_HEAD_BYTES) {
          return false;
        }
        int type = in.getUnsignedByte(start + at);
        int length = in.getUnsignedShort(start + at + 1);
        int value = at + TLV_HEAD_BYTES;
        if (length > bytes - value) {
          return false;
        }
        if (type == TLV_CRC32C && (length != Integer.BYTES || !isChecksum(value, bytes))) {
          return false;
        }
        at = value + length;
      }
      return true;
    }

    /** Verifies the checksum, which covers the whole header with its own four bytes as zero. */
    private boolean isChecksum(int at, int bytes) {
      byte[] header = new byte[bytes];
      in.getBytes(start, header);
      for (int i = 0; i < Integer.BYTES; i++) {
        header[at + i] = 0;
      }
      CRC32C crc = new CRC32C();
      crc.update(header);
      return (int) crc.getValue() == in.getInt(start + at);
    }
  }
}
