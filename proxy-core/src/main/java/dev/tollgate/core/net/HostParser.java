package dev.tollgate.core.net;

import dev.tollgate.core.net.PublicUrl.Host;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parser of the host in a client-supplied URL: a DNS name or an IP address. A host that resembles
 * an IPv4 address must be a strict dotted quad: other parsers read octal, hexadecimal and short
 * forms.
 */
final class HostParser {
  private static final int NAME_CHARS_MAX = 253;
  private static final String LABEL = "[0-9a-z_](?:[0-9a-z_-]{0,61}[0-9a-z_])?";
  private static final Pattern NAME = Pattern.compile(LABEL + "(?:\\." + LABEL + ")*");
  private static final Pattern ENDS_IN_NUMBER = Pattern.compile("(?:.*\\.)?(?:[0-9]+|0x[0-9a-f]*)");
  private static final String OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
  private static final Pattern QUAD = Pattern.compile(OCTET + "(?:\\." + OCTET + "){3}");

  private HostParser() {}

  /** Result of parsing a host. */
  sealed interface HostParseResult {
    record Valid(Host host) implements HostParseResult {}

    record Malformed(String why) implements HostParseResult {}

    record Refused(String why) implements HostParseResult {}
  }

  /** Parses letters, digits, dots, hyphens and underscores, or an address in brackets. */
  static HostParseResult parse(String text) {
    return text.startsWith("[")
        ? bracketed(text.substring(1, text.length() - 1))
        : name(text.toLowerCase(Locale.ROOT));
  }

  private static HostParseResult bracketed(String text) {
    return switch (v6(text)) {
      case Inet6Address address -> new HostParseResult.Valid(new Host.Literal(address));
      case null ->
          new HostParseResult.Malformed("must be a URL with a valid IPv6 address in the brackets");
      // IPv4 in brackets is written to be misread.
      default -> new HostParseResult.Refused("points to an IPv4 address in the form of IPv6");
    };
  }

  private static @Nullable InetAddress v6(String text) {
    String embedded = text.substring(text.lastIndexOf(':') + 1);
    if (text.indexOf(':') < 0
        || (embedded.indexOf('.') >= 0 && !QUAD.matcher(embedded).matches())) {
      return null;
    }
    try {
      return InetAddress.ofLiteral(text);
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  private static HostParseResult name(String text) {
    boolean isRooted = text.endsWith(".");
    String name = isRooted ? text.substring(0, text.length() - 1) : text;
    if (name.length() > NAME_CHARS_MAX || !NAME.matcher(name).matches()) {
      return new HostParseResult.Malformed("must be a URL with a valid host name");
    }
    if (!ENDS_IN_NUMBER.matcher(name).matches()) {
      return new HostParseResult.Valid(new Host.Name(name));
    }
    InetAddress address =
        isRooted || !QUAD.matcher(name).matches() ? null : IpAddresses.parse(name);
    return address == null
        ? new HostParseResult.Refused("points to a number that is not a dotted IPv4 address")
        : new HostParseResult.Valid(new Host.Literal(address));
  }
}
