package dev.tollgate.core.net;

import dev.tollgate.core.net.PublicUrl.Host;
import dev.tollgate.core.net.PublicUrl.UrlParseResult;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;

/**
 * Rules that decide which client-supplied URLs the gateway may call
 * (docs/decisions/egress.md#client-urls): ports, names and addresses. The operator's denied blocks
 * come first, the allowed ones next, and public addresses last. Instances are immutable.
 *
 * @param ports allowed ports
 * @param namesAllowed in lower case, whatever they resolve to
 * @param allowed blocks that may be called although they are not public, or are the gateway's own
 * @param denied blocks that may not be called although they are public
 * @param ownNames names of this gateway, in lower case
 * @param own addresses of this machine
 */
public record UrlRules(
    Set<Integer> ports,
    Set<String> namesAllowed,
    CidrSet allowed,
    CidrSet denied,
    Set<String> ownNames,
    CidrSet own) {
  /** Names with a meaning only inside of a network, with all their subdomains. */
  private static final List<String> LOCAL_SUFFIXES =
      List.of(
          "alt",
          "corp",
          "home",
          "home.arpa",
          "internal",
          "intranet",
          "lan",
          "local",
          "localdomain",
          "localhost",
          "onion",
          "private",
          "svc");

  private static final String NOT_PUBLIC = "points to a host that is not public";

  public UrlRules {
    ports = Set.copyOf(ports);
    namesAllowed = Set.copyOf(namesAllowed);
    ownNames = Set.copyOf(ownNames);
  }

  /** Parses a URL and checks everything that needs no resolver. */
  public UrlParseResult check(String text) {
    return switch (PublicUrl.parse(text)) {
      case UrlParseResult.Malformed malformed -> malformed;
      case UrlParseResult.Refused refused -> refused;
      case UrlParseResult.Valid fine -> applyRules(fine);
    };
  }

  private UrlParseResult applyRules(UrlParseResult.Valid fine) {
    PublicUrl url = fine.url();
    if (!ports.contains(url.port())) {
      return new UrlParseResult.Refused("points to a port that may not be called");
    }
    boolean isOpen =
        switch (url.host()) {
          case Host.Literal literal -> mayCall(url, literal.address());
          case Host.Name name -> namesAllowed.contains(name.text()) || isPublic(name.text());
        };
    return isOpen ? fine : new UrlParseResult.Refused(NOT_PUBLIC);
  }

  private boolean isPublic(String name) {
    return name.indexOf('.') >= 0
        && !ownNames.contains(name)
        && LOCAL_SUFFIXES.stream().noneMatch(suffix -> name.endsWith("." + suffix));
  }

  /** True if the host of {@code url} may be called at this address. */
  public boolean mayCall(PublicUrl url, InetAddress address) {
    if (denied.contains(address)) {
      return false;
    }
    boolean isNameAllowed =
        url.host() instanceof Host.Name name && namesAllowed.contains(name.text());
    return isNameAllowed
        || allowed.contains(address)
        || (!own.contains(address) && PublicRanges.contains(address));
  }
}
