package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Deviations;
import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is configured of a server's quirks, above what is known of the server. */
final class QuirkPresets {
  private QuirkPresets() {}

  /** Lists and names are added to the preset's; anything else comes in its place. */
  static Provider.Quirks of(@Nullable KnownServer preset, ProviderSettings.Quirks quirks) {
    Deviations known = preset == null ? Deviations.NONE : preset.deviations();
    var deviations =
        new Deviations(
            both(known.refused(), quirks.drop()),
            both(known.renamed(), quirks.rename()),
            both(known.refusedInMessages(), quirks.dropInMessages()),
            given(quirks.developerRole(), known.developerRole()),
            given(quirks.jsonSchema(), known.jsonSchema()),
            given(quirks.callIds(), known.callIds()),
            given(quirks.reasoning(), known.reasoning()),
            given(quirks.images(), known.drawing()),
            both(known.models(), quirks.models()));
    return new Provider.Quirks(
        given(quirks.streamOptions(), preset == null || preset.streamOptions()),
        given(quirks.prefill(), preset == null ? Prefill.NONE : preset.prefill()),
        deviations);
  }

  private static <T> T given(@Nullable T configured, T known) {
    return configured == null ? known : configured;
  }

  private static List<String> both(List<String> known, List<String> configured) {
    Set<String> all = new LinkedHashSet<>(known);
    all.addAll(configured);
    return new ArrayList<>(all);
  }

  private static Map<String, String> both(
      Map<String, String> known, Map<String, String> configured) {
    Map<String, String> all = new HashMap<>(known);
    all.putAll(configured);
    return all;
  }
}
