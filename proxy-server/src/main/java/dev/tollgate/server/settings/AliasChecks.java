package dev.tollgate.server.settings;

import dev.tollgate.core.id.ModelGlob;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.server.settings.Settings.ModelAlias;
import dev.tollgate.server.settings.binding.DidYouMean;
import dev.tollgate.server.settings.yaml.SettingPaths;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Validates the names of models beside their ids: each stands for one model that exists. */
final class AliasChecks {
  private static final int PATTERNS_MAX = 256;

  private final Set<String> models;
  private final SectionProblems problems;
  private final Map<String, ModelId> owners = new HashMap<>();

  /**
   * Creates a checker.
   *
   * @param models the ids of all models in the file
   */
  AliasChecks(Set<String> models, SectionProblems problems) {
    this.models = models;
    this.problems = problems;
  }

  void check(Settings settings) {
    settings.models().forEach((id, model) -> check(id, model.aliases()));
    check(settings.modelAliases());
  }

  private void check(ModelId id, List<String> aliases) {
    SectionProblems at = problems.in(SettingPaths.join("models", id.toString()));
    for (int i = 0; i < aliases.size(); i++) {
      String item = SettingPaths.item("aliases", i);
      String alias = aliases.get(i);
      if (ModelGlob.isGlob(alias)) {
        at.addFirst(item, "is a pattern: patterns stand in model_aliases");
      } else if (!ModelId.isName(alias)) {
        at.addFirst(item, "must be a name of visible ASCII characters, no part of it empty");
      } else if (models.contains(alias)) {
        at.addFirst(item, "is the id of a model");
      } else {
        ModelId other = owners.putIfAbsent(alias, id);
        if (other != null) {
          at.addFirst(item, "is an alias of " + other + " too");
        }
      }
    }
  }

  private void check(List<ModelAlias> patterns) {
    if (patterns.size() > PATTERNS_MAX) {
      problems.addFirst("model_aliases", "must not have more than " + PATTERNS_MAX + " entries");
    }
    for (int i = 0; i < patterns.size(); i++) {
      SectionProblems at = problems.in(SettingPaths.item("model_aliases", i));
      if (!ModelId.isName(patterns.get(i).match())) {
        at.addFirst("match", "must be a pattern of visible ASCII characters, no part of it empty");
      }
      String model = patterns.get(i).model().toString();
      if (!models.contains(model)) {
        at.addFirst("model", "there is no model " + model + DidYouMean.hint(model, models));
      }
    }
  }
}
