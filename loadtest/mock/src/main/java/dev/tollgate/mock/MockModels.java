package dev.tollgate.mock;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Cache of the models that the mock provider has parsed from requested names. {@code times} is
 * counted per name, over all loops.
 */
final class MockModels {
  private static final int KEPT_MAX = 4096;

  private final MockProfile profile;
  private final Map<String, MockModel.Parsed> byName = new ConcurrentHashMap<>();

  MockModels(MockProfile profile) {
    this.profile = profile;
  }

  MockModel.Parsed named(String name) {
    MockModel.Parsed known = byName.get(name);
    if (known != null) {
      return known;
    }
    if (byName.size() >= KEPT_MAX) {
      byName.clear();
    }
    return byName.computeIfAbsent(name, n -> MockModel.parse(n, profile));
  }

  /** Resets all counts of {@code times}. */
  void reset() {
    byName.clear();
  }

  /** Returns the reply to {@code GET /v1/models}. */
  String listJson() {
    return Stream.concat(
            Stream.of("mock-chat", MockModel.DEMO),
            FaultCatalog.all().stream().map(fault -> "fault/" + fault.spec().wireName()))
        .map(
            id ->
                "{\"id\":\"%s\",\"object\":\"model\",\"created\":1700000000,\"owned_by\":\"mock\"}"
                    .formatted(id))
        .collect(Collectors.joining(",", "{\"object\":\"list\",\"data\":[", "]}"));
  }
}
