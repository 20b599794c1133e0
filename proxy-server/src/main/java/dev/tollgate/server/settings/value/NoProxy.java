package dev.tollgate.server.settings.value;

import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Entry of {@code no_proxy}: a host name, a domain with all names in it, or addresses.
 *
 * @param name lower case; of a domain with a leading dot, of addresses as written
 * @param block null for names
 */
public record NoProxy(String name, @Nullable CidrBlock block) {
  private static final Pattern NAME =
      Pattern.compile(
          "(\\*?\\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*");

  /** Reads {@code host}, {@code .domain}, {@code *.domain}, an address or a CIDR block. */
  public static Optional<NoProxy> parse(String text) {
    Optional<CidrBlock> addresses = CidrBlock.parse(text);
    if (addresses.isPresent()) {
      return Optional.of(new NoProxy(text, addresses.get()));
    }
    String name = text.toLowerCase(Locale.ROOT);
    return NAME.matcher(name).matches()
        ? Optional.of(new NoProxy(name.startsWith("*") ? name.substring(1) : name, null))
        : Optional.empty();
  }

  /**
   * True if {@code host}, a name in lower case or an address, is called directly. Names are not
   * resolved: a block is for hosts that are written as addresses.
   */
  public boolean matches(String host) {
    if (block != null) {
      return isAddress(host) && block.contains(InetAddress.ofLiteral(host));
    }
    return name.startsWith(".") ? host.endsWith(name) : host.equals(name);
  }

  private static boolean isAddress(String host) {
    return CidrBlock.parse(host).isPresent();
  }

  @Override
  public String toString() {
    return name;
  }
}
