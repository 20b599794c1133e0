package dev.tollgate.server.settings.value;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Host and port that a listener binds: {@code 0.0.0.0:8080}, {@code [::1]:9901}, {@code
 * localhost:0}.
 *
 * @param host without brackets
 * @param port 0 if the system chooses the port
 */
public record BindAddress(String host, int port) {
  private static final Pattern FORM =
      Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([A-Za-z0-9._-]+)):(\\d{1,5})");

  public static Optional<BindAddress> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches() || Integer.parseInt(matcher.group(3)) > 65535) {
      return Optional.empty();
    }
    String host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
    return Optional.of(new BindAddress(host, Integer.parseInt(matcher.group(3))));
  }

  /** True if only this machine can reach the address; names are not resolved. */
  public boolean isLoopback() {
    return host.equals("localhost") || host.equals("::1") || host.matches("127(\\.\\d{1,3}){3}");
  }

  /** True for the wildcard of every address of this machine, which no client can connect to. */
  public boolean isWildcard() {
    return host.equals("0.0.0.0") || host.equals("::");
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
