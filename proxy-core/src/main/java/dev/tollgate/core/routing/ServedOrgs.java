package dev.tollgate.core.routing;

import dev.tollgate.core.id.OrgId;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Organizations whose latest outcome at a model was a success. It remembers a bounded number, each
 * in the place that its hash names; a later one there replaces it. Shared by all loops: each place
 * is one atomic reference, which is written only when it changes.
 */
final class ServedOrgs {
  private static final int PLACES = 256;

  private final AtomicReferenceArray<@Nullable OrgId> places = new AtomicReferenceArray<>(PLACES);

  void succeeded(OrgId org) {
    int place = place(org);
    if (!org.equals(places.get(place))) {
      places.set(place, org);
    }
  }

  void failed(OrgId org) {
    if (contains(org)) {
      places.set(place(org), null);
    }
  }

  boolean contains(OrgId org) {
    return org.equals(places.get(place(org)));
  }

  private static int place(OrgId org) {
    return (int) StableHash.mixed(org.hashCode()) & (PLACES - 1);
  }
}
