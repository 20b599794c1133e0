package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.RemoteMedia;
import dev.tollgate.core.catalog.Thinking;
import dev.tollgate.server.settings.binding.Key;
import org.jspecify.annotations.Nullable;

/** Configuration section {@code quirks} of a provider whose API format is not OpenAI's. */
public record ModelQuirkSettings(
    @Key(about = "request form to continue a partial answer: none or message", initial = "none")
        Prefill prefill,
    @Key(about = "request form of reasoning_effort", initial = "auto") Thinking thinking,
    @Key(
            about = "whether temperature, top_p and top_k are sent to models that accept them",
            initial = "true")
        boolean sampling,
    @Key(
            about =
                "whether clients may name Google files that only your account can read:"
                    + " uploads, buckets (gs:), cached_content",
            initial = "false")
        boolean ownFiles,
    @Key(
            about =
                "whether clients may use options that are billed apart from the catalog's"
                    + " prices: speed, inference_geo; of AWS service_tier, performanceConfig,"
                    + " guardrailConfig",
            initial = "false")
        boolean pricedOptions,
    @Key(
            about =
                "media URLs that it would fetch itself: pass, judge, fetch or refuse; null:"
                    + " judge, or fetch if its address is private")
        @Nullable RemoteMedia remoteMedia)
    implements QuirkSettings {
  @Override
  public Provider.Quirks toCatalog() {
    var rights = new Provider.Rights(ownFiles, pricedOptions);
    var quirks = new Provider.Quirks(true, prefill, thinking, sampling, rights);
    return remoteMedia == null ? quirks : quirks.withRemoteMedia(remoteMedia);
  }

  @Override
  public void check(SectionProblems problems) {
    switch (prefill) {
      case NONE, MESSAGE -> {}
      case PREFIX, CONTINUE_FINAL_MESSAGE ->
          problems.add("quirks.prefill", "must be none or message");
    }
  }
}
