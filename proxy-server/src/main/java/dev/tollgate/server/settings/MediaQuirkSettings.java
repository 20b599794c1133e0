package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.RemoteMedia;
import dev.tollgate.server.settings.binding.Key;
import org.jspecify.annotations.Nullable;

/** Configuration section {@code quirks} of a provider whose API format has no deviations. */
public record MediaQuirkSettings(
    @Key(
            about =
                "media URLs that it would fetch itself: pass, judge, fetch or refuse; null:"
                    + " judge, or fetch if its address is private")
        @Nullable RemoteMedia remoteMedia)
    implements QuirkSettings {
  @Override
  public Provider.Quirks toCatalog() {
    return toCatalog(Prefill.NONE);
  }

  /** Returns the quirks of a provider that continues answers in this form. */
  Provider.Quirks toCatalog(Prefill prefill) {
    var quirks = new Provider.Quirks(true, prefill);
    return remoteMedia == null ? quirks : quirks.withRemoteMedia(remoteMedia);
  }

  @Override
  public void check(SectionProblems problems) {}
}
