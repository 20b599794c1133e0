package dev.tollgate.server.account.signin;

import java.util.List;

/**
 * Names of the browser and the system in a User-Agent field, as far as a list of sessions needs
 * them. Clients may write anything there, so nothing is decided by them.
 */
final class UserAgents {
  /** Marks with their names; those that others contain too stand behind them. */
  private static final List<Mark> BROWSERS =
      List.of(
          new Mark("Edg/", "Edge"),
          new Mark("OPR/", "Opera"),
          new Mark("Firefox/", "Firefox"),
          new Mark("Chrome/", "Chrome"),
          new Mark("Safari/", "Safari"),
          new Mark("curl/", "curl"));

  private static final List<Mark> SYSTEMS =
      List.of(
          new Mark("Android", "Android"),
          new Mark("iPhone", "iOS"),
          new Mark("iPad", "iOS"),
          new Mark("Windows", "Windows"),
          new Mark("Mac OS X", "macOS"),
          new Mark("Linux", "Linux"));

  private record Mark(String text, String name) {}

  private UserAgents() {}

  /** Returns the browser; empty if unknown. */
  static String browser(String userAgent) {
    return first(BROWSERS, userAgent);
  }

  /** Returns the operating system; empty if unknown. */
  static String system(String userAgent) {
    return first(SYSTEMS, userAgent);
  }

  private static String first(List<Mark> marks, String userAgent) {
    return marks.stream()
        .filter(mark -> userAgent.contains(mark.text()))
        .map(Mark::name)
        .findFirst()
        .orElse("");
  }
}
