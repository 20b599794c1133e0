package dev.tollgate.core.catalog;

import java.util.List;
import java.util.Map;

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
    return new Deviations(
        List.of(members),
        renamed,
        refusedInMessages,
        developerRole,
        jsonSchema,
        callIds,
        reasoning,
        drawing,
        models);
  }

  /** These without some members of messages. */
  Deviations refusingInMessages(String... members) {
    return new Deviations(
        refused,
        renamed,
        List.of(members),
        developerRole,
        jsonSchema,
        callIds,
        reasoning,
        drawing,
        models);
  }

  Deviations renaming(Map<String, String> names) {
    return new Deviations(
        refused,
        names,
        refusedInMessages,
        developerRole,
        jsonSchema,
        callIds,
        reasoning,
        drawing,
        models);
  }

  Deviations withoutDeveloper() {
    return new Deviations(
        refused,
        renamed,
        refusedInMessages,
        false,
        jsonSchema,
        callIds,
        reasoning,
        drawing,
        models);
  }

  Deviations withoutSchema() {
    return new Deviations(
        refused,
        renamed,
        refusedInMessages,
        developerRole,
        false,
        callIds,
        reasoning,
        drawing,
        models);
  }

  Deviations thinking(Reasoning where) {
    return new Deviations(
        refused,
        renamed,
        refusedInMessages,
        developerRole,
        jsonSchema,
        callIds,
        where,
        drawing,
        models);
  }

  Deviations calling(CallIds ids) {
    return new Deviations(
        refused,
        renamed,
        refusedInMessages,
        developerRole,
        jsonSchema,
        ids,
        reasoning,
        drawing,
        models);
  }

  Deviations drawing(Drawing how) {
    return new Deviations(
        refused,
        renamed,
        refusedInMessages,
        developerRole,
        jsonSchema,
        callIds,
        reasoning,
        how,
        models);
  }

  /** These, where some models are others than their names say. */
  public Deviations being(Map<String, String> known) {
    return new Deviations(
        refused,
        renamed,
        refusedInMessages,
        developerRole,
        jsonSchema,
        callIds,
        reasoning,
        drawing,
        known);
  }
}
