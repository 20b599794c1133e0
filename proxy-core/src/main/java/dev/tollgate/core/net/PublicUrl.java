package dev.tollgate.core.net;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parsed https URL from a client, in a grammar so narrow that no other parser can read it as a URL
 * of another host. {@link UrlRules} decides if it may be called.
 *
 * @param port the port in the URL, else 443
 * @param target path and query as sent, without the fragment; at least {@code /}
 */
public record PublicUrl(Host host, int port, String target) {
  public static final int CHARS_MAX = 2_048;

  private static final int PORT_DEFAULT = 443;
  private static final int PORT_MAX = 65_535;

  /** Characters of visible ASCII that parsers do not interpret differently. */
  private static final Pattern CHARS = Pattern.compile("[!#-;=?-\\[\\]_a-z~]*");

  private static final Pattern HTTPS =
      Pattern.compile("https://([^/?#]*)([^#]*)(?:#[^#]*)?", Pattern.CASE_INSENSITIVE);
  private static final Pattern AUTHORITY =
      Pattern.compile("(\\[[0-9A-Fa-f:.]*]|[0-9A-Za-z._-]*)(?::([1-9][0-9]{0,4}))?");
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:");

  /** Host of the URL. */
  public sealed interface Host {
    /** The host is a DNS name, in lower case and without the trailing dot. */
    record Name(String text) implements Host {}

    /** The host is an IP address. */
    record Literal(InetAddress address) implements Host {}

    /** Returns the host for TLS and the {@code host} field, an IPv6 address without brackets. */
    default String plain() {
      return switch (this) {
        case Name name -> name.text();
        case Literal literal -> NetUtil.toAddressString(literal.address());
      };
    }
  }

  /** Result of parsing a client-supplied URL. */
  public sealed interface UrlParseResult {
    record Valid(PublicUrl url) implements UrlParseResult {}

    /** The text is not an https URL; {@code why} follows the field's name. */
    record Malformed(String why) implements UrlParseResult {
      /** Returns the refusal of a request with this URL in {@code param}. */
      public Fault fault(String param) {
        return Fault.invalid(param, why);
      }
    }

    /** The URL must not be called for any client. */
    record Refused(String why) implements UrlParseResult {
      /** A host that may have an address where someone else would call it. */
      public static final Refused WITHOUT_ADDRESS =
          new Refused("points to a host without an address");

      /** Returns the refusal of a request with this URL in {@code param}. */
      public Fault fault(String param) {
        return new Fault(
            ErrorCode.SSRF_BLOCKED, param + ": " + why, param, null, 0, false, Map.of());
      }
    }
  }

  /** Parses a text. */
  public static UrlParseResult parse(String text) {
    if (text.length() > CHARS_MAX) {
      return new UrlParseResult.Malformed("must be a URL of at most " + CHARS_MAX + " characters");
    }
    Matcher url = HTTPS.matcher(text);
    if (!url.matches()) {
      return new UrlParseResult.Malformed("must be an https URL");
    }
    if (!CHARS.matcher(text).matches()) {
      return new UrlParseResult.Malformed("has a character that must be percent-encoded in a URL");
    }
    Matcher authority = AUTHORITY.matcher(url.group(1));
    if (!authority.matches()) {
      return new UrlParseResult.Malformed("must be a URL of a host and at most a port");
    }
    String digits = authority.group(2);
    int port = digits == null ? PORT_DEFAULT : Integer.parseInt(digits);
    if (port > PORT_MAX) {
      return new UrlParseResult.Malformed("has a port that does not exist");
    }
    return switch (HostParser.parse(authority.group(1))) {
      case HostParser.HostParseResult.Malformed malformed ->
          new UrlParseResult.Malformed(malformed.why());
      case HostParser.HostParseResult.Refused refused -> new UrlParseResult.Refused(refused.why());
      case HostParser.HostParseResult.Valid fine ->
          new UrlParseResult.Valid(new PublicUrl(fine.host(), port, target(url.group(2))));
    };
  }

  private static String target(String afterAuthority) {
    return afterAuthority.startsWith("/") ? afterAuthority : "/" + afterAuthority;
  }

  /** Returns the URL to which a redirect from here with {@code location} leads (RFC 3986, 5.2). */
  public String redirected(String location) {
    if (SCHEME.matcher(location).lookingAt()) {
      return location;
    }
    if (location.startsWith("//")) {
      return "https:" + location;
    }
    if (location.isEmpty() || location.startsWith("#")) {
      return origin() + target;
    }
    if (location.startsWith("?")) {
      return origin() + path() + location;
    }
    String path = path();
    String from = location.startsWith("/") ? "" : path.substring(0, path.lastIndexOf('/') + 1);
    return origin() + withoutDots(from + location);
  }

  /** Removes {@code .} and {@code ..} from a path; in the query they have no meaning. */
  private static String withoutDots(String target) {
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    List<String> kept = new ArrayList<>();
    for (String step : path.substring(1).split("/", -1)) {
      if (step.equals("..") && !kept.isEmpty()) {
        kept.removeLast();
      }
      if (!step.equals("..") && !step.equals(".")) {
        kept.add(step);
      }
    }
    boolean isFolder = path.endsWith("/.") || path.endsWith("/..");
    String clean = "/" + String.join("/", kept) + (isFolder && !kept.isEmpty() ? "/" : "");
    return query < 0 ? clean : clean + target.substring(query);
  }

  private String path() {
    int query = target.indexOf('?');
    return query < 0 ? target : target.substring(0, query);
  }

  private String origin() {
    String name = host.plain();
    return "https://" + (name.indexOf(':') < 0 ? name : "[" + name + "]") + ":" + port;
  }

  /** Omits the path and query, where clients keep secrets. */
  @Override
  public String toString() {
    return origin().toLowerCase(Locale.ROOT);
  }
}
