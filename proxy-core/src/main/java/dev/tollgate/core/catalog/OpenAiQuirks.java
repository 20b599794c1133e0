package dev.tollgate.core.catalog;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What a server that speaks OpenAI's chat completions does otherwise than OpenAI: how a chat is
 * edited for it, and where its replies have their thoughts.
 *
 * @param droppedFields members of a chat that it does not take
 * @param renamedFields its names of members, by OpenAI's
 * @param droppedMessageFields members of messages that it does not take
 * @param developerRole whether it knows messages of a developer; else they are the system's
 * @param jsonSchema whether an answer can be held to a schema; else it is only asked for JSON
 * @param imageApiStyle how it is asked for images
 * @param models which of OpenAI's models one of its own is, where its name does not say
 */
public record OpenAiQuirks(
    List<String> droppedFields,
    Map<String, String> renamedFields,
    List<String> droppedMessageFields,
    boolean developerRole,
    boolean jsonSchema,
    CallIds callIds,
    Reasoning reasoning,
    ImageApiStyle imageApiStyle,
    Map<String, String> models) {
  public static final OpenAiQuirks NONE =
      new OpenAiQuirks(
          List.of(),
          Map.of(),
          List.of(),
          true,
          true,
          CallIds.ANY,
          Reasoning.AS_IS,
          ImageApiStyle.OPENAI,
          Map.of());

  public OpenAiQuirks {
    droppedFields = List.copyOf(droppedFields);
    renamedFields = Map.copyOf(renamedFields);
    droppedMessageFields = List.copyOf(droppedMessageFields);
    models = Map.copyOf(models);
  }

  /** What a model really is. */
  public String model(String upstreamModel) {
    return models.getOrDefault(upstreamModel, upstreamModel);
  }

  /** Whether a chat is edited for it. */
  public boolean editsChats() {
    return !droppedFields.isEmpty()
        || !renamedFields.isEmpty()
        || !droppedMessageFields.isEmpty()
        || !developerRole
        || !jsonSchema
        || callIds != CallIds.ANY;
  }

  /** Which ids of tool calls it takes back. */
  public enum CallIds {
    ANY,
    /** Nine letters and digits; others are replaced, equal ones by equal ones. */
    NINE_ALPHANUMERIC
  }

  /** Where its replies have what the model thought; it comes out as {@code reasoning_content}. */
  public enum Reasoning {
    /** There, or nowhere. */
    AS_IS,
    /** In {@code reasoning}. */
    REASONING,
    /** In parts of {@code content}. */
    CONTENT_PARTS,
    /** In {@code content}, which then begins with a {@code think} tag. */
    THINK_TAGS
  }

  /** These without some members of a chat. */
  OpenAiQuirks droppingFields(String... members) {
    return with(draft -> draft.droppedFields = List.of(members));
  }

  /** These without some members of messages. */
  OpenAiQuirks droppingMessageFields(String... members) {
    return with(draft -> draft.droppedMessageFields = List.of(members));
  }

  OpenAiQuirks renaming(Map<String, String> names) {
    return with(draft -> draft.renamedFields = names);
  }

  OpenAiQuirks withoutDeveloperRole() {
    return with(draft -> draft.developerRole = false);
  }

  OpenAiQuirks withoutJsonSchema() {
    return with(draft -> draft.jsonSchema = false);
  }

  OpenAiQuirks withReasoning(Reasoning where) {
    return with(draft -> draft.reasoning = where);
  }

  OpenAiQuirks withCallIds(CallIds ids) {
    return with(draft -> draft.callIds = ids);
  }

  OpenAiQuirks imageApiStyle(ImageApiStyle how) {
    return with(draft -> draft.imageApiStyle = how);
  }

  /** These, where some models are others than their names say. */
  public OpenAiQuirks withModels(Map<String, String> known) {
    return with(draft -> draft.models = known);
  }

  private OpenAiQuirks with(Consumer<Draft> change) {
    var draft = new Draft(this);
    change.accept(draft);
    return draft.build();
  }

  /** A copy in which something is about to differ. */
  private static final class Draft {
    private List<String> droppedFields;
    private Map<String, String> renamedFields;
    private List<String> droppedMessageFields;
    private boolean developerRole;
    private boolean jsonSchema;
    private CallIds callIds;
    private Reasoning reasoning;
    private ImageApiStyle imageApiStyle;
    private Map<String, String> models;

    private Draft(OpenAiQuirks of) {
      droppedFields = of.droppedFields;
      renamedFields = of.renamedFields;
      droppedMessageFields = of.droppedMessageFields;
      developerRole = of.developerRole;
      jsonSchema = of.jsonSchema;
      callIds = of.callIds;
      reasoning = of.reasoning;
      imageApiStyle = of.imageApiStyle;
      models = of.models;
    }

    private OpenAiQuirks build() {
      return new OpenAiQuirks(
          droppedFields,
          renamedFields,
          droppedMessageFields,
          developerRole,
          jsonSchema,
          callIds,
          reasoning,
          imageApiStyle,
          models);
    }
  }
}
