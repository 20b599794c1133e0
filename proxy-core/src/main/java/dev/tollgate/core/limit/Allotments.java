package dev.tollgate.core.limit;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.tenant.ApiKey;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The allotments of keys and models that were asked for lately. It holds a fixed number: one that
 * needs another's place takes it, and the other is made anew. On all loops at once: each place is
 * one reference to an immutable.
 */
final class Allotments {
  private static final int PLACES = 4096;

  private final AtomicReferenceArray<@Nullable Known> places = new AtomicReferenceArray<>(PLACES);

  private record Known(LimitRules rules, ApiKey key, @Nullable ModelId model, Allotment allotment) {
    /** A changed key, and what a reload makes anew, is another object. */
    @SuppressWarnings("ReferenceEquality") // this is asked for each request
    boolean isOf(LimitRules now, ApiKey asked, @Nullable ModelId of) {
      return rules == now && key == asked && model == of;
    }
  }

  Allotment of(LimitRules rules, ApiKey key, @Nullable ModelId model) {
    int place = place(key, model);
    Known known = places.get(place);
    if (known != null && known.isOf(rules, key, model)) {
      return known.allotment;
    }
    Allotment made = rules.allotment(key, model);
    places.set(place, new Known(rules, key, model, made));
    return made;
  }

  private static int place(ApiKey key, @Nullable ModelId model) {
    int hash = key.id().value().hashCode() * 31 + (model == null ? 0 : model.name().hashCode());
    return (hash ^ hash >>> 16) & (PLACES - 1);
  }
}
