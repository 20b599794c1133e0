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
 * An https URL that a client supplied, taken apart by a grammar so narrow that no other parser can
 * read it as a URL of another host. Whether it may be called is for {@link UrlRules} to say.
 *
 * @param port the one it names, else 443
 * @param target path and query as they were sent, without the fragment; at least {@code /}
 */
public record PublicUrl(Host host, int port, String target) {
  public static final int CHARS_MAX = 2_048;

  private static final int PORT_DEFAULT = 443;
  private static final int PORT_MAX = 65_535;

  /** Visible ASCII that no parser takes for something else. */
  private static final Pattern CHARS = Pattern.compile("[!#-;=?-\\[\\]_a-z~]*");

  private static final Pattern HTTPS =
      Pattern.compile("https://([^/?#]*)([^#]*)(?:#[^#]*)?", Pattern.CASE_INSENSITIVE);
  private static final Pattern AUTHORITY =
      Pattern.compile("(\\[[0-9A-Fa-f:.]*]|[0-9A-Za-z._-]*)(?::([1-9][0-9]{0,4}))?");
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:");

  /** Whom it names. */
  public sealed interface Host {
    /** A name, in lower case and without the dot of its root. */
    record Name(String text) implements Host {}

    /** An address. */
    record Literal(InetAddress address) implements Host {}

    /** As TLS and the field {@code host} name it, an IPv6 address without brackets. */
    default String plain() {
      return switch (this) {
        case Name name -> name.text();
        case Literal literal -> NetUtil.toAddressString(literal.address());
      };
    }
  }

  /** What came of reading a text. */
  public sealed interface UrlParseResult {
    record Valid(PublicUrl url) implements UrlParseResult {}

    /** It is no https URL; {@code why} follows the field's name. */
    record Malformed(String why) implements UrlParseResult {
      /** The refusal of a request that has it in {@code param}. */
      public Fault fault(String param) {
        return Fault.invalid(param, why);
      }
    }

    /** It is one that nobody may have us call. */
    record Refused(String why) implements UrlParseResult {
      /** The refusal of a request that has it in {@code param}. */
      public Fault fault(String param) {
        return new Fault(
            ErrorCode.SSRF_BLOCKED, param + ": " + why, param, null, 0, false, Map.of());
      }
    }
  }

  /** Takes a text apart, or says what is wrong with it. */
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

  private static String target(String behindAuthority) {
    return behindAuthority.startsWith("/") ? behindAuthority : "/" + behindAuthority;
  }

  /** The text of the URL that a redirect from here to {@code location} names (RFC 3986, 5.2). */
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

  /** {@code .} and {@code ..} of a path are gone; behind a question mark they mean nothing. */
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

  /** Without what stands behind the host, where clients keep secrets. */
  @Override
  public String toString() {
    return origin().toLowerCase(Locale.ROOT);
  }
}
