package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.OpenAiQuirks;
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
    OpenAiQuirks known = preset == null ? OpenAiQuirks.NONE : preset.quirks();
    var deviations =
        new OpenAiQuirks(
            merged(known.droppedFields(), quirks.drop()),
            merged(known.renamedFields(), quirks.rename()),
            merged(known.droppedMessageFields(), quirks.dropMessageFields()),
            configuredOr(quirks.developerRole(), known.developerRole()),
            configuredOr(quirks.jsonSchema(), known.jsonSchema()),
            configuredOr(quirks.callIds(), known.callIds()),
            configuredOr(quirks.reasoning(), known.reasoning()),
            configuredOr(quirks.images(), known.imageApiStyle()),
            merged(known.models(), quirks.models()));
    return new Provider.Quirks(
        configuredOr(quirks.streamOptions(), preset == null || preset.streamOptions()),
        configuredOr(quirks.prefill(), preset == null ? Prefill.NONE : preset.prefill()),
        deviations);
  }

  private static <T> T configuredOr(@Nullable T configured, T known) {
    return configured == null ? known : configured;
  }

  private static List<String> merged(List<String> known, List<String> configured) {
    Set<String> all = new LinkedHashSet<>(known);
    all.addAll(configured);
    return new ArrayList<>(all);
  }

  private static Map<String, String> merged(
      Map<String, String> known, Map<String, String> configured) {
    Map<String, String> all = new HashMap<>(known);
    all.putAll(configured);
    return all;
  }
}
