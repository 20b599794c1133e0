package dev.tollgate.server.explorer;

import dev.tollgate.server.explorer.RequestFilter.Dimensions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Most frequent names of the requests of a filter. Those of one facet are counted without the
 * filter's own values of that facet, so that they can be chosen instead.
 *
 * @param ignored query parameters of the filter that were not looked at
 */
public record RequestFacets(
    List<Value> keys,
    List<Value> models,
    List<Value> providers,
    List<Value> endpoints,
    List<Value> outcomes,
    List<Value> codes,
    List<String> ignored,
    Instant asOf) {
  /** Most values of a facet. */
  public static final int VALUES_MAX = 20;

  /** Name with the number of its requests. */
  public record Value(String name, long requests) {}

  /** Counts of facets that are being made. Confined to one thread. */
  static final class Counts {
    private final List<List<String>> wanted;
    private final List<Map<String, Long>> counts;

    Counts(Dimensions of) {
      wanted =
          List.of(
              of.keys(), of.models(), of.providers(), of.endpoints(), of.outcomes(), of.codes());
      counts = wanted.stream().<Map<String, Long>>map(_ -> new HashMap<>()).toList();
    }

    /**
     * Adds requests with the same names.
     *
     * @param names one for each facet, in the order of the record; empty if unknown
     */
    void add(List<String> names, long requests) {
      List<Integer> others = new ArrayList<>();
      for (int i = 0; i < wanted.size(); i++) {
        if (!wanted.get(i).isEmpty() && !wanted.get(i).contains(names.get(i))) {
          others.add(i);
        }
      }
      for (int i = 0; i < wanted.size(); i++) {
        boolean matches = others.isEmpty() || (others.size() == 1 && others.getFirst() == i);
        if (matches && !names.get(i).isEmpty()) {
          counts.get(i).merge(names.get(i), requests, Long::sum);
        }
      }
    }

    RequestFacets facets(List<String> ignored, Instant asOf) {
      return new RequestFacets(
          top(0), top(1), top(2), top(3), top(4), top(5), List.copyOf(ignored), asOf);
    }

    private List<Value> top(int facet) {
      return counts.get(facet).entrySet().stream()
          .map(each -> new Value(each.getKey(), each.getValue()))
          .sorted(Comparator.comparingLong(Value::requests).reversed().thenComparing(Value::name))
          .limit(VALUES_MAX)
          .toList();
    }
  }
}
