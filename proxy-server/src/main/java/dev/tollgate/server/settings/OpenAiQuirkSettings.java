package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.ImageApiStyle;
import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.OpenAiQuirks;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
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
 * Section {@code quirks} of a provider with OpenAI's format. A key that is null or empty has the
 * preset's value; without a preset, the value of OpenAI itself.
 */
public record OpenAiQuirkSettings(
    @Key(about = "whether it understands stream_options; null: true")
        @Nullable Boolean streamOptions,
    @Key(about = "how it is asked to continue an answer that was begun; null: none")
        @Nullable Prefill prefill,
    @Key(about = "members of a chat that it refuses: they are not sent, and said to be dropped")
        List<String> drop,
    @Key(about = "its names of a chat's members, by OpenAI's") Map<String, String> rename,
    @Key(about = "members of messages that it refuses") List<String> dropMessageFields,
    @Key(about = "whether it knows the role developer, else it gets system; null: true")
        @Nullable Boolean developerRole,
    @Key(about = "whether it takes a JSON schema, else it is asked for JSON; null: true")
        @Nullable Boolean jsonSchema,
    @Key(about = "which ids of tool calls it takes back; null: any")
        OpenAiQuirks.@Nullable CallIds callIds,
    @Key(about = "where it writes what it thought; null: as_is")
        OpenAiQuirks.@Nullable Reasoning reasoning,
    @Key(about = "how it wants to be asked for images: openai, xai or together; null: openai")
        @Nullable ImageApiStyle images,
    @Key(about = "which of OpenAI's models one of its own is, where its name does not say")
        Map<String, String> models)
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
            configuredOr(images, known.imageApiStyle()),
            merged(known.models(), models));
    return new Provider.Quirks(
        configuredOr(streamOptions, preset == null || preset.streamOptions()),
        configuredOr(prefill, preset == null ? Prefill.NONE : preset.prefill()),
        merged);
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
        problems.add("quirks.drop_message_fields", name + " makes the message what it is");
      }
    }
  }
}
