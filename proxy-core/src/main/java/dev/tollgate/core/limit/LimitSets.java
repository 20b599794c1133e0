package dev.tollgate.core.limit;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.tenant.ApiKey;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Cache of the limit sets of recent requests, by API key and model. The cache is a direct-mapped
 * table of fixed size: of two sets with the same index, the later replaces the earlier. Safe on all
 * event loops, because each entry is one reference to an immutable object.
 */
final class LimitSets {
  private static final int CAPACITY = 4096;

  private final AtomicReferenceArray<@Nullable Known> entries =
      new AtomicReferenceArray<>(CAPACITY);

  private record Known(LimitRules rules, ApiKey key, @Nullable ModelId model, LimitSet limits) {
    /** True if the entry is for these objects. Changed keys and reloaded rules are new objects. */
    @SuppressWarnings("ReferenceEquality") // called for each request
    boolean isOf(LimitRules now, ApiKey asked, @Nullable ModelId of) {
      return rules == now && key == asked && model == of;
    }
  }

  LimitSet of(LimitRules rules, ApiKey key, @Nullable ModelId model) {
    int index = index(key, model);
    Known known = entries.get(index);
    if (known != null && known.isOf(rules, key, model)) {
      return known.limits;
    }
    LimitSet made = rules.limitSet(key, model);
    entries.set(index, new Known(rules, key, model, made));
    return made;
  }

  private static int index(ApiKey key, @Nullable ModelId model) {
    int hash = key.id().value().hashCode() * 31 + (model == null ? 0 : model.name().hashCode());
    return (hash ^ hash >>> 16) & (CAPACITY - 1);
  }
}
