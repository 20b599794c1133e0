package dev.tollgate.server.settings;

import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.settings.binding.Differences;
import dev.tollgate.server.settings.binding.Differences.Difference;
import dev.tollgate.server.settings.yaml.SettingPaths;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Result of comparing new settings with the running ones: unchanged, applicable now, or only at a
 * restart.
 */
public sealed interface ReloadVerdict {

  /** The new settings equal the running ones. */
  record Unchanged() implements ReloadVerdict {}

  /** All changes can be applied; {@code changed} lists their paths. */
  record Applicable(List<String> changed) implements ReloadVerdict {
    public Applicable {
      changed = List.copyOf(changed);
    }
  }

  /** Some changes, listed by path, take effect only at the next start; no change is applied. */
  record NeedsRestart(List<String> paths) implements ReloadVerdict {
    public NeedsRestart {
      paths = List.copyOf(paths);
    }
  }

  static ReloadVerdict between(Settings before, Settings after) {
    List<Difference> differences = Differences.between(Settings.TYPE, before, after);
    if (differences.isEmpty()) {
      return new Unchanged();
    }
    Predicate<String> mock = insideMock(before, after);
    List<String> restart =
        differences.stream()
            .filter(difference -> difference.restart() || mock.test(difference.path()))
            .map(Difference::path)
            .toList();
    return restart.isEmpty()
        ? new Applicable(differences.stream().map(Difference::path).toList())
        : new NeedsRestart(restart);
  }

  /** True for paths inside a bundled mock: its listener exists from start to end of the process. */
  private static Predicate<String> insideMock(Settings before, Settings after) {
    Set<String> mocks = new HashSet<>();
    for (Settings settings : List.of(before, after)) {
      settings
          .providers()
          .forEach(
              (ProviderId id, ProviderSettings provider) -> {
                if (provider instanceof ProviderSettings.Mock) {
                  mocks.add(SettingPaths.join("providers", id.value()));
                }
              });
    }
    return path -> mocks.stream().anyMatch(m -> path.equals(m) || path.startsWith(m + "."));
  }
}
