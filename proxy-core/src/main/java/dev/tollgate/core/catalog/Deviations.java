package dev.tollgate.core.catalog;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What a server that speaks OpenAI's chat completions does otherwise than OpenAI: how a chat is
 * edited for it, and where its replies have their thoughts.
 *
 * @param refused members of a chat that it does not take
 * @param renamed its names of members, by OpenAI's
 * @param refusedInMessages members of messages that it does not take
 * @param developerRole whether it knows messages of a developer; else they are the system's
 * @param jsonSchema whether an answer can be held to a schema; else it is only asked for JSON
 * @param drawing how it is asked for images
 * @param models which of OpenAI's models one of its own is, where its name does not say
 */
public record Deviations(
    List<String> refused,
    Map<String, String> renamed,
    List<String> refusedInMessages,
    boolean developerRole,
    boolean jsonSchema,
    CallIds callIds,
    Reasoning reasoning,
    Drawing drawing,
    Map<String, String> models) {
  public static final Deviations NONE =
      new Deviations(
          List.of(),
          Map.of(),
          List.of(),
          true,
          true,
          CallIds.ANY,
          Reasoning.AS_IS,
          Drawing.OPENAI,
          Map.of());

  public Deviations {
    refused = List.copyOf(refused);
    renamed = Map.copyOf(renamed);
    refusedInMessages = List.copyOf(refusedInMessages);
    models = Map.copyOf(models);
  }

  /** What a model really is. */
  public String model(String upstreamModel) {
    return models.getOrDefault(upstreamModel, upstreamModel);
  }

  /** Whether a chat is edited for it. */
  public boolean editsChats() {
    return !refused.isEmpty()
        || !renamed.isEmpty()
        || !refusedInMessages.isEmpty()
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
  Deviations refusing(String... members) {
    return but(draft -> draft.refused = List.of(members));
  }

  /** These without some members of messages. */
  Deviations refusingInMessages(String... members) {
    return but(draft -> draft.refusedInMessages = List.of(members));
  }

  Deviations renaming(Map<String, String> names) {
    return but(draft -> draft.renamed = names);
  }

  Deviations withoutDeveloper() {
    return but(draft -> draft.developerRole = false);
  }

  Deviations withoutSchema() {
    return but(draft -> draft.jsonSchema = false);
  }

  Deviations thinking(Reasoning where) {
    return but(draft -> draft.reasoning = where);
  }

  Deviations calling(CallIds ids) {
    return but(draft -> draft.callIds = ids);
  }

  Deviations drawing(Drawing how) {
    return but(draft -> draft.drawing = how);
  }

  /** These, where some models are others than their names say. */
  public Deviations being(Map<String, String> known) {
    return but(draft -> draft.models = known);
  }

  private Deviations but(Consumer<Draft> change) {
    var draft = new Draft(this);
    change.accept(draft);
    return draft.done();
  }

  /** A copy in which something is about to differ. */
  private static final class Draft {
    private List<String> refused;
    private Map<String, String> renamed;
    private List<String> refusedInMessages;
    private boolean developerRole;
    private boolean jsonSchema;
    private CallIds callIds;
    private Reasoning reasoning;
    private Drawing drawing;
    private Map<String, String> models;

    private Draft(Deviations of) {
      refused = of.refused;
      renamed = of.renamed;
      refusedInMessages = of.refusedInMessages;
      developerRole = of.developerRole;
      jsonSchema = of.jsonSchema;
      callIds = of.callIds;
      reasoning = of.reasoning;
      drawing = of.drawing;
      models = of.models;
    }

    private Deviations done() {
      return new Deviations(
          refused,
          renamed,
          refusedInMessages,
          developerRole,
          jsonSchema,
          callIds,
          reasoning,
          drawing,
          models);
    }
  }
}
