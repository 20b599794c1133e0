package dev.tollgate.core.net;

import dev.tollgate.core.net.PublicUrl.Host;
import dev.tollgate.core.net.PublicUrl.UrlParseResult;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;

/**
 * Which URLs of clients may be called (docs/decisions/egress.md#client-urls): ports, names and
 * addresses. What an operator denied stays denied, what he allowed comes next, and what is public
 * otherwise last. Immutable.
 *
 * @param ports that may be called
 * @param namesAllowed in lower case, whatever they resolve to
 * @param allowed blocks that may be called although they are not public, or our own
 * @param denied blocks that may not be called although they are public
 * @param ownNames in lower case, of this gateway
 * @param own addresses of this machine
 */
public record UrlRules(
    Set<Integer> ports,
    Set<String> namesAllowed,
    CidrSet allowed,
    CidrSet denied,
    Set<String> ownNames,
    CidrSet own) {
  /** Names that mean something inside of a network only, with all names below them. */
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

  /** Reads a URL and judges all of it that needs no resolver. */
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

  /** Whether the host of {@code url} may be called at this address. */
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
