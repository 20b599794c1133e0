package dev.tollgate.core.catalog;

import dev.tollgate.core.id.ModelGlob;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.NameDistance;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Names by which clients ask for the models of a catalog: ids, aliases, patterns, and the part of
 * an id behind its slash (docs/decisions/models.md#names). Immutable. An id or an alias costs one
 * look-up in a table and allocates nothing.
 */
public final class ModelNames {
  private static final int NEAR_MAX = 3;
  private static final int NEAR_CHARS_MAX = 64;
  private static final int BEGINNING_MIN = 3;
  private static final int OTHER_VENDOR = 3;

  private final Map<String, Resolution.Found> exact = new HashMap<>();
  private final List<Pattern> patterns = new ArrayList<>();
  private final Map<String, List<Resolution.Found>> byShortName = new HashMap<>();
  private final Map<ModelId, List<String>> aliases;

  /** What a name stands for. */
  public sealed interface Resolution {
    /**
     * One model, which the key may still not be allowed to use.
     *
     * @param id the model's id as text
     */
    record Found(Model model, String id) implements Resolution {}

    /** Several models that the key may use, by their ids. */
    record Ambiguous(List<String> candidates) implements Resolution {}

    /** No model. */
    record Unknown() implements Resolution {}
  }

  /** Rule that gives the names of a pattern ({@link ModelGlob}) to a model. */
  public record AliasRule(String match, ModelId model) {}

  private record Pattern(String glob, Resolution.Found found) {}

  private static final Resolution UNKNOWN = new Resolution.Unknown();

  /**
   * Creates the names of models. Those of models that are absent are left out.
   *
   * @param aliases of each model
   * @param rules the first that matches counts
   */
  public ModelNames(
      Collection<Model> models, Map<ModelId, List<String>> aliases, List<AliasRule> rules) {
    this.aliases = Map.copyOf(aliases);
    for (Model model : models) {
      var found = new Resolution.Found(model, model.id().toString());
      exact.put(found.id(), found);
      byShortName.computeIfAbsent(model.id().name(), _ -> new ArrayList<>(1)).add(found);
    }
    aliases.forEach((id, names) -> names.forEach(name -> addAlias(name, id)));
    for (AliasRule rule : rules) {
      Resolution.Found found = exact.get(rule.model().toString());
      if (found != null) {
        patterns.add(new Pattern(rule.match(), found));
      }
    }
  }

  private void addAlias(String name, ModelId id) {
    Resolution.Found found = exact.get(id.toString());
    if (found != null) {
      exact.putIfAbsent(name, found);
    }
  }

  /** Returns the aliases of a model, as configured. */
  public List<String> aliasesOf(ModelId id) {
    return aliases.getOrDefault(id, List.of());
  }

  /**
   * Returns what a name stands for: first as an id or an alias, then by a pattern, then as the part
   * behind the slash of the models that keys with this scope may use.
   */
  public Resolution resolve(String name, KeyScope scope) {
    Resolution.@Nullable Found found = exact.get(name);
    if (found != null) {
      return found;
    }
    for (Pattern pattern : patterns) {
      if (ModelGlob.matches(pattern.glob(), name)) {
        return pattern.found();
      }
    }
    List<Resolution.Found> usable =
        byShortName.getOrDefault(name, List.of()).stream()
            .filter(one -> one.model().isUsableWith(scope))
            .toList();
    return switch (usable.size()) {
      case 0 -> UNKNOWN;
      case 1 -> usable.getFirst();
      default ->
          new Resolution.Ambiguous(usable.stream().map(Resolution.Found::id).sorted().toList());
    };
  }

  /**
   * Returns the ids of up to three models that a misspelled or shortened name may mean, nearest
   * first, of those that keys with this scope may use.
   */
  public List<String> near(String name, KeyScope scope) {
    if (name.length() > NEAR_CHARS_MAX) {
      return List.of();
    }
    Map<String, Integer> distances = new HashMap<>();
    exact.forEach(
        (known, found) -> {
          int distance = distance(name, known);
          if (distance < Integer.MAX_VALUE && found.model().isUsableWith(scope)) {
            distances.merge(found.id(), distance, Math::min);
          }
        });
    return distances.entrySet().stream()
        .sorted(
            Map.Entry.<String, Integer>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
        .limit(NEAR_MAX)
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableList());
  }

  /**
   * Returns the distance of two names, letter case aside: the edits between the parts behind the
   * slash, and up to three for another vendor. The maximum means that they are not near: neither
   * begins with the other, and they differ in more than a third of their characters.
   */
  private static int distance(String asked, String known) {
    String a = shortName(asked);
    String b = shortName(known);
    int max = Math.max(1, Math.min(a.length(), b.length()) / 3);
    boolean begins =
        Math.min(a.length(), b.length()) >= BEGINNING_MIN && (a.startsWith(b) || b.startsWith(a));
    int longer = Math.abs(a.length() - b.length());
    if (!begins && longer > max) {
      return Integer.MAX_VALUE;
    }
    int edits = begins ? longer : NameDistance.edits(a, b);
    return begins || edits <= max ? edits + ofVendors(asked, known) : Integer.MAX_VALUE;
  }

  private static int ofVendors(String asked, String known) {
    return asked.indexOf('/') < 0
        ? 0
        : Math.min(OTHER_VENDOR, NameDistance.edits(vendor(asked), vendor(known)));
  }

  private static String vendor(String name) {
    return name.substring(0, Math.max(0, name.indexOf('/'))).toLowerCase(Locale.ROOT);
  }

  private static String shortName(String name) {
    return name.substring(name.indexOf('/') + 1).toLowerCase(Locale.ROOT);
  }
}
