package dev.tollgate.mock;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Index of every {@link MockFault} of the mock provider by its wire name, in the order of the
 * documentation.
 */
public final class FaultCatalog {
  private static final Map<String, MockFault> BY_NAME = byName();

  private FaultCatalog() {}

  static @Nullable MockFault named(String wireName) {
    return BY_NAME.get(wireName);
  }

  public static Collection<MockFault> all() {
    return Collections.unmodifiableCollection(BY_NAME.values());
  }

  private static Map<String, MockFault> byName() {
    Map<String, MockFault> byName = new LinkedHashMap<>();
    Stream.<MockFault[]>of(
            StatusFault.values(),
            HeadFault.values(),
            BodyFault.values(),
            EventFault.values(),
            UsageFault.values(),
            FramingFault.values())
        .flatMap(Stream::of)
        .forEach(
            fault -> {
              if (byName.put(fault.spec().wireName(), fault) != null) {
                throw new IllegalStateException(
                    "two faults have the name " + fault.spec().wireName());
              }
            });
    return byName;
  }
}
