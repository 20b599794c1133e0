package dev.tollgate.core.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Deviations of a server from OpenAI's chat completions, which determine how its requests are
 * edited and where replies hold reasoning.
 *
 * @param droppedFields members of a chat that the server does not accept
 * @param renamedFields the server's names of members, by OpenAI's
 * @param droppedMessageFields members of messages and of their calls that the server does not
 *     accept; the name of a function's result is sent
 * @param developerRole true if the server knows developer messages; else they are sent as system
 *     messages
 * @param jsonSchema true if the server enforces a schema; else it is only asked for JSON
 * @param userAfterTool true if a message of the user or the system may follow the result of a tool
 *     directly; else a short message of the assistant is sent between them
 * @param callsNeedReasoning true if the assistant's messages around tool calls need reasoning;
 *     those that another server made without get an empty one
 * @param allowedTools true if a tool choice may allow some of the tools; else only those are sent
 * @param imageApiStyle variant of the image API
 * @param models OpenAI's model names by names that do not show them, such as deployments
 */
public record OpenAiQuirks(
    List<String> droppedFields,
    Map<String, String> renamedFields,
    List<String> droppedMessageFields,
    boolean developerRole,
    boolean jsonSchema,
    CallIds callIds,
    Reasoning reasoning,
    boolean userAfterTool,
    boolean callsNeedReasoning,
    boolean allowedTools,
    ImageApiStyle imageApiStyle,
    Map<String, String> models) {
  /** Members of messages that replies have, and that strict servers refuse in requests. */
  private static final List<String> REPLY_MEMBERS =
      List.of("refusal", "annotations", "audio", "images", "extra_content", "reasoning_details");

  public static final OpenAiQuirks NONE =
      new OpenAiQuirks(
          List.of(),
          Map.of(),
          List.of(),
          true,
          true,
          CallIds.ANY,
          Reasoning.AS_IS,
          true,
          false,
          true,
          ImageApiStyle.OPENAI,
          Map.of());

  public OpenAiQuirks {
    droppedFields = List.copyOf(droppedFields);
    renamedFields = Map.copyOf(renamedFields);
    droppedMessageFields = List.copyOf(droppedMessageFields);
    models = Map.copyOf(models);
  }

  /** Returns OpenAI's name of a model. */
  public String model(String upstreamModel) {
    return models.getOrDefault(upstreamModel, upstreamModel);
  }

  /** True if chats are edited for the server. */
  public boolean editsChats() {
    return !droppedFields.isEmpty()
        || !renamedFields.isEmpty()
        || !droppedMessageFields.isEmpty()
        || !developerRole
        || !jsonSchema
        || !userAfterTool
        || callsNeedReasoning
        || !allowedTools
        || callIds != CallIds.ANY;
  }

  /** Form of the tool call ids that the server accepts. */
  public enum CallIds {
    ANY,
    /** Nine letters and digits; other ids are replaced, equal ids by equal ones. */
    NINE_ALPHANUMERIC
  }

  /**
   * Place of the reasoning in the server's replies; clients get it as {@code reasoning_content}.
   */
  public enum Reasoning {
    /** In {@code reasoning_content}, or absent. */
    AS_IS,
    /** In the member {@code reasoning}. */
    REASONING,
    /** In parts of the member {@code content}. */
    CONTENT_PARTS,
    /** In {@code content}, which begins with a {@code think} tag then. */
    THINK_TAGS
  }

  /** Returns a copy that drops these members of chats. */
  OpenAiQuirks droppingFields(String... members) {
    return with(draft -> draft.droppedFields = List.of(members));
  }

  /** Returns a copy that drops these members of messages. */
  OpenAiQuirks droppingMessageFields(String... members) {
    return with(draft -> draft.droppedMessageFields = List.of(members));
  }

  /** Returns a copy that drops the members of messages that only replies have, and these. */
  OpenAiQuirks droppingReplyMembers(String... others) {
    List<String> all = new ArrayList<>(REPLY_MEMBERS);
    all.addAll(List.of(others));
    return with(draft -> draft.droppedMessageFields = List.copyOf(all));
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

  OpenAiQuirks withoutAllowedTools() {
    return with(draft -> draft.allowedTools = false);
  }

  OpenAiQuirks withoutUserAfterTool() {
    return with(draft -> draft.userAfterTool = false);
  }

  OpenAiQuirks withReasoningOfCalls() {
    return with(draft -> draft.callsNeedReasoning = true);
  }

  OpenAiQuirks imageApiStyle(ImageApiStyle how) {
    return with(draft -> draft.imageApiStyle = how);
  }

  /** Returns a copy with OpenAI's names of some models. */
  public OpenAiQuirks withModels(Map<String, String> known) {
    return with(draft -> draft.models = known);
  }

  private OpenAiQuirks with(Consumer<Draft> change) {
    var draft = new Draft(this);
    change.accept(draft);
    return draft.build();
  }

  /** Mutable copy of the components, from which a modified record is built. */
  private static final class Draft {
    private List<String> droppedFields;
    private Map<String, String> renamedFields;
    private List<String> droppedMessageFields;
    private boolean developerRole;
    private boolean jsonSchema;
    private CallIds callIds;
    private Reasoning reasoning;
    private boolean userAfterTool;
    private boolean callsNeedReasoning;
    private boolean allowedTools;
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
      userAfterTool = of.userAfterTool;
      callsNeedReasoning = of.callsNeedReasoning;
      allowedTools = of.allowedTools;
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
          userAfterTool,
          callsNeedReasoning,
          allowedTools,
          imageApiStyle,
          models);
    }
  }
}
