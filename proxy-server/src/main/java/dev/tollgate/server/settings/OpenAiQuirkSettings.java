package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.ImageApiStyle;
import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.OpenAiQuirks;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.RemoteMedia;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.yaml.SettingPaths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Configuration section {@code quirks}: differences of an OpenAI-compatible provider from OpenAI's
 * API. A key that is null or empty has the preset's value; without a preset, the value of OpenAI
 * itself.
 */
public record OpenAiQuirkSettings(
    @Key(about = "whether stream_options is supported; null: true") @Nullable Boolean streamOptions,
    @Key(about = "request form to continue a partial answer; null: none") @Nullable Prefill prefill,
    @Key(about = "unsupported members of a chat request: dropped, and named in the log")
        List<String> drop,
    @Key(about = "other names of members of a chat request, by OpenAI's name")
        Map<String, String> rename,
    @Key(about = "unsupported members of messages: dropped") List<String> dropMessageFields,
    @Key(about = "whether the role developer is supported; false: system is sent; null: true")
        @Nullable Boolean developerRole,
    @Key(
            about =
                "whether a JSON schema is supported; false: JSON without a schema is"
                    + " requested; null: true")
        @Nullable Boolean jsonSchema,
    @Key(about = "accepted ids of tool calls; null: any") OpenAiQuirks.@Nullable CallIds callIds,
    @Key(about = "place of the reasoning in a reply; null: as_is")
        OpenAiQuirks.@Nullable Reasoning reasoning,
    @Key(
            about =
                "whether the user's message may follow a tool's result; false: a short message of"
                    + " the assistant is sent between; null: true")
        @Nullable Boolean userAfterTool,
    @Key(
            about =
                "whether the assistant's messages around tool calls need reasoning_content; true:"
                    + " a blank one is sent where it is missing; null: false")
        @Nullable Boolean callsNeedReasoning,
    @Key(
            about =
                "whether a tool choice may allow some of the tools; false: only those are sent;"
                    + " null: true")
        @Nullable Boolean allowedTools,
    @Key(about = "API style of image requests: openai, xai or together; null: openai")
        @Nullable ImageApiStyle images,
    @Key(
            about =
                "whether clients may use options that choose another price, model or route:"
                    + " service_tier, models, plugins and others",
            initial = "false")
        boolean pricedOptions,
    @Key(about = "OpenAI model behind an upstream model, if its name does not tell")
        Map<String, String> models,
    @Key(
            about =
                "media URLs that it would fetch itself: pass, judge, fetch or refuse; null:"
                    + " judge, or fetch if its address is private")
        @Nullable RemoteMedia remoteMedia)
    implements QuirkSettings {
  /** Members of a chat that cannot be left out, or that the gateway writes itself. */
  private static final Set<String> RESERVED_MEMBERS =
      Set.of("model", "messages", "stream", "stream_options", "routing", "provider");

  private static final Set<String> REQUIRED_MESSAGE_FIELDS =
      Set.of("role", "content", "tool_calls", "tool_call_id");

  @Override
  public Provider.Quirks toCatalog() {
    return mergedInto(null);
  }

  /** Returns the preset's quirks with these: lists and maps are added, other values replace. */
  Provider.Quirks mergedInto(@Nullable KnownServer preset) {
    OpenAiQuirks known = preset == null ? OpenAiQuirks.NONE : preset.quirks();
    var merged =
        new OpenAiQuirks(
            merged(known.droppedFields(), drop),
            merged(known.renamedFields(), rename),
            merged(known.droppedMessageFields(), dropMessageFields),
            configuredOr(developerRole, known.developerRole()),
            configuredOr(jsonSchema, known.jsonSchema()),
            configuredOr(callIds, known.callIds()),
            configuredOr(reasoning, known.reasoning()),
            configuredOr(userAfterTool, known.userAfterTool()),
            configuredOr(callsNeedReasoning, known.callsNeedReasoning()),
            configuredOr(allowedTools, known.allowedTools()),
            configuredOr(images, known.imageApiStyle()),
            merged(known.models(), models));
    var quirks =
        new Provider.Quirks(
            configuredOr(streamOptions, preset == null || preset.streamOptions()),
            configuredOr(prefill, preset == null ? Prefill.NONE : preset.prefill()),
            merged);
    Provider.Quirks allowed = quirks.withRights(new Provider.Rights(false, pricedOptions));
    return remoteMedia == null ? allowed : allowed.withRemoteMedia(remoteMedia);
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

  @Override
  public void check(SectionProblems problems) {
    for (String name : drop) {
      if (RESERVED_MEMBERS.contains(name)) {
        problems.add("quirks.drop", name + " is written by Tollgate itself");
      }
    }
    rename.forEach(
        (name, other) -> {
          if (RESERVED_MEMBERS.contains(name) || RESERVED_MEMBERS.contains(other)) {
            String key = SettingPaths.join("quirks.rename", name);
            problems.add(key, "is written by Tollgate itself");
          }
        });
    for (String name : dropMessageFields) {
      if (REQUIRED_MESSAGE_FIELDS.contains(name)) {
        problems.add("quirks.drop_message_fields", name + " cannot be dropped from a message");
      }
    }
  }
}
