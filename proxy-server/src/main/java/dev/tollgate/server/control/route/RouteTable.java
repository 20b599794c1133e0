package dev.tollgate.server.control.route;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Index of the routes by the number of their segments; of two that match, the literal one wins. */
public final class RouteTable {
  private static final int SEGMENTS_MAX = 12;

  private final Map<Integer, List<Entry>> bySegments = new HashMap<>();
  private final boolean hasPages;

  private record Entry(RouteSpec route, List<String> segments) {}

  /** A route and the values of its placeholders. */
  public record Match(RouteSpec route, PathArgs args) {}

  public RouteTable(List<RouteSpec> routes) {
    hasPages = routes.contains(Route.SHELL.spec());
    for (RouteSpec route : routes) {
      List<String> segments = route.segments();
      bySegments
          .computeIfAbsent(segments.size(), _ -> new ArrayList<>())
          .add(new Entry(route, segments));
    }
    bySegments.values().forEach(list -> list.sort(RouteTable::literalFirst));
  }

  /** Orders by the number of placeholders. */
  private static int literalFirst(Entry one, Entry other) {
    return Long.compare(placeholders(one), placeholders(other));
  }

  private static long placeholders(Entry entry) {
    return entry.segments().stream().filter(RouteTable::isPlaceholder).count();
  }

  private static boolean isPlaceholder(String segment) {
    return segment.startsWith("{");
  }

  /** Returns the route of a request; empty if there is none, whatever other methods there are. */
  public Optional<Match> match(String method, String path) {
    if (!path.startsWith("/")) {
      return Optional.empty();
    }
    List<String> segments = Arrays.asList(path.substring(1).split("/", SEGMENTS_MAX));
    for (Entry entry : bySegments.getOrDefault(segments.size(), List.of())) {
      if (allows(entry.route(), method) && matches(entry.segments(), segments)) {
        return Optional.of(new Match(entry.route(), args(entry.segments(), segments)));
      }
    }
    return hasPages && isPage(method, path)
        ? Optional.of(new Match(Route.SHELL.spec(), new PathArgs(Map.of())))
        : Optional.empty();
  }

  private static boolean allows(RouteSpec spec, String method) {
    return spec.method().name().equals(method)
        || (method.equals("HEAD") && spec.audience() == RouteSpec.Audience.FILES);
  }

  private static boolean matches(List<String> template, List<String> segments) {
    for (int i = 0; i < template.size(); i++) {
      String wanted = template.get(i);
      String found = segments.get(i);
      if (isPlaceholder(wanted) ? !isArgument(found) : !wanted.equals(found)) {
        return false;
      }
    }
    return true;
  }

  /** No id needs an escape, so a path with one names nothing. */
  private static boolean isArgument(String segment) {
    return !segment.isEmpty() && segment.indexOf('%') < 0;
  }

  private static PathArgs args(List<String> template, List<String> segments) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < template.size(); i++) {
      String name = template.get(i);
      if (isPlaceholder(name)) {
        values.put(name.substring(1, name.length() - 1), segments.get(i));
      }
    }
    return new PathArgs(values);
  }

  /** The pages of the dashboard are addresses that the browser resolves, all from one file. */
  private static boolean isPage(String method, String path) {
    return (method.equals("GET") || method.equals("HEAD"))
        && path.indexOf('.') < 0
        && !isUnder(path, "/api")
        && !isUnder(path, "/v1")
        && !isUnder(path, "/assets");
  }

  private static boolean isUnder(String path, String prefix) {
    return path.equals(prefix) || path.startsWith(prefix + "/");
  }
}
