package dev.tollgate.server.settings;

import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.settings.binding.Differences;
import dev.tollgate.server.settings.binding.Differences.Difference;
import dev.tollgate.server.settings.yaml.SettingPaths;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Whether new settings can take the place of the running ones without a restart. */
public sealed interface ReloadVerdict {

  /** Nothing changed. */
  record Unchanged() implements ReloadVerdict {}

  /** All changes can be taken over; {@code changed} lists their paths. */
  record Applicable(List<String> changed) implements ReloadVerdict {
    public Applicable {
      changed = List.copyOf(changed);
    }
  }

  /** These settings take effect only at the next start, so nothing is taken over now. */
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

  /** A bundled mock listens from the start to the end of the process. */
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
